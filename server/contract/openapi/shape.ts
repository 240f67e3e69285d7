/**
 * @module
 * The parts of an OpenAPI document that this server reads, and walks over its operations.
 */

/** The parts of a document that are read. A document has more. */
export interface OpenApiDocument {
  readonly openapi: string;
  readonly info: { readonly title: string; readonly version: string; readonly description: string };
  readonly tags: readonly { readonly name: string; readonly description: string }[];
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly components: Components;
}

export interface Components {
  readonly schemas: Readonly<Record<string, Schema>>;
  readonly parameters?: Readonly<Record<string, Parameter>>;
  readonly headers?: Readonly<Record<string, { readonly required?: boolean }>>;
  readonly securitySchemes?: Readonly<Record<string, object>>;
}

export interface Operation {
  readonly operationId: string;
  readonly tags: readonly string[];
  readonly summary: string;
  readonly description?: string;
  readonly parameters?: readonly (Parameter | Reference)[];
  readonly requestBody?: { readonly required?: boolean; readonly content: Content };
  readonly security?: readonly Readonly<Record<string, readonly string[]>>[];
  readonly responses: Readonly<Record<string, Answer>>;
}

export interface Parameter {
  readonly name: string;
  readonly in: string;
  readonly required?: boolean;
  readonly description?: string;
  readonly schema?: Schema;
  readonly example?: unknown;
}

export interface Answer {
  readonly description: string;
  readonly headers?: Readonly<Record<string, Reference>>;
  readonly content?: Content;
}

/** What a body is used for. */
export type Use = 'request' | 'answer';

export type Content = Readonly<Record<string, Media>>;

export interface Media {
  readonly schema?: Schema;
  /** Schema of each item of a stream; only in OpenAPI 3.2. */
  readonly itemSchema?: Schema;
  readonly example?: unknown;
  readonly examples?: Readonly<Record<string, { readonly value?: unknown }>>;
}

export interface Reference {
  readonly $ref: string;
}

/** A member of the schema of an optional header that command lines contain. */
export const IN_EXAMPLES = 'x-in-examples';

/** JSON Schema 2020-12. Any member may be missing. */
export type Schema = Readonly<Record<string, unknown>>;

/** The document with each operation replaced. */
export function mapOperations(
  document: OpenApiDocument,
  map: (operation: Operation, path: string, method: string) => Operation,
): OpenApiDocument {
  const paths = mapValues(document.paths, (item, path) =>
    mapValues(item, (operation, method) => map(operation, path, method)),
  );
  return { ...document, paths };
}

/** The operation with each media type of its body and of its answers replaced. */
export function mapMedia(
  { requestBody, responses, ...operation }: Operation,
  map: (media: Media, type: string, use: Use) => Media,
): Operation {
  const mapAll = (content: Content, use: Use) =>
    mapValues(content, (media, type) => map(media, type, use));
  return {
    ...operation,
    ...(requestBody && {
      requestBody: { ...requestBody, content: mapAll(requestBody.content, 'request') },
    }),
    responses: mapValues(responses, ({ content, ...answer }) => ({
      ...answer,
      ...(content && { content: mapAll(content, 'answer') }),
    })),
  };
}

/** The record with each value replaced. */
export function mapValues<In, Out>(
  record: Readonly<Record<string, In>>,
  map: (value: In, key: string) => Out,
): Record<string, Out> {
  return Object.fromEntries(Object.entries(record).map(([key, value]) => [key, map(value, key)]));
}

/** The values of a media type's examples, in their order. */
export function examplesOf({ example, examples = {} }: Media): unknown[] {
  const named = Object.values(examples).map(({ value }) => value);
  return example === undefined ? named : [example, ...named];
}

/** The name of the component that a schema refers to; null if it is no reference. */
export function componentOf({ $ref }: Schema): string | null {
  return typeof $ref === 'string' ? ($ref.split('/').at(-1) ?? null) : null;
}
