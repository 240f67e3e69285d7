/**
 * @module
 * The parts of a complete description of an operation, and the parts that operations lack. The contract tests
 * print them.
 */

import type {
  Content,
  Media,
  OpenApiDocument,
  Operation,
  Parameter,
  Schema,
} from '../../../server/contract/openapi/shape.ts';
import { componentOf, examplesOf } from '../../../server/contract/openapi/shape.ts';

/** One line for each thing that is missing: `submitRun: no example of the body`. */
export function lacksOf(document: OpenApiDocument): string[] {
  return Object.values(document.paths)
    .flatMap((item) => Object.values(item))
    .flatMap((operation) => {
      const name = operation.operationId ?? '(no operationId)';
      return lacksOfOperation(operation, document).map((lack) => `${name}: ${lack}`);
    });
}

/** The examples of a media type, or of the schema that it refers to. */
export function allExamplesOf(media: Media, document: OpenApiDocument): unknown[] {
  const own = examplesOf(media);
  if (own.length > 0) return own;
  const schema = resolvedSchema(media.itemSchema ?? media.schema ?? {}, document);
  if (Array.isArray(schema.examples)) return schema.examples;
  return schema.example === undefined ? [] : [schema.example];
}

function lacksOfOperation(operation: Operation, document: OpenApiDocument): string[] {
  const { operationId, summary, requestBody, responses, parameters = [] } = operation;
  const statuses = Object.keys(responses);
  return [
    ...(operationId === undefined ? ['no operationId'] : []),
    ...(summary === undefined || summary === '' ? ['no summary'] : []),
    ...(statuses.some((status) => status < '400') ? [] : ['no answer but refusals']),
    ...(statuses.includes('400') && statuses.includes('500') ? [] : ['no 400 or 500']),
    ...parameters.flatMap((each) => ('$ref' in each ? [] : lacksOfParameter(each))),
    ...lacksOfContent('the body', requestBody?.content ?? {}, document),
    ...Object.entries(responses).flatMap(([status, { content = {} }]) =>
      lacksOfContent(status, content, document),
    ),
  ];
}

function lacksOfParameter({ name, description, schema, example }: Parameter): string[] {
  const isExplained = [description, schema?.description, example, schema?.example].some(Boolean);
  return isExplained ? [] : [`neither description nor example of parameter ${name}`];
}

function lacksOfContent(where: string, content: Content, document: OpenApiDocument): string[] {
  return Object.entries(content).flatMap(([type, media]) => [
    ...(media.schema === undefined && media.itemSchema === undefined
      ? [`no schema of ${where} (${type})`]
      : []),
    ...(isText(type) && allExamplesOf(media, document).length === 0
      ? [`no example of ${where} (${type})`]
      : []),
  ]);
}

/** Bytes have no example that a document could hold. */
function isText(type: string): boolean {
  return type.startsWith('text/') || /^application\/(\w+\+)?json/.test(type);
}

function resolvedSchema(schema: Schema, document: OpenApiDocument): Schema {
  const name = componentOf(schema);
  return name === null ? schema : (document.components.schemas[name] ?? {});
}
