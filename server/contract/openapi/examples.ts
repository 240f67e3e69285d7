/**
 * @module
 * Examples of answers, recorded from a running server and kept in examples.json: those of a component
 * by its name, those of an answer with a schema of its own by operation, status and media type. What a
 * route shows itself comes first.
 */

import recorded from '../examples.json' with { type: 'json' };
import type { Media, OpenApiDocument, Operation, Schema } from './shape.ts';
import { componentOf, examplesOf, mapOperations, mapValues } from './shape.ts';

/** The document with the recorded examples where it has none. */
export function withExamples(document: OpenApiDocument): OpenApiDocument {
  const schemas = mapValues(document.components.schemas, withOwnExample);
  return {
    ...mapOperations(document, (operation) => ({
      ...operation,
      responses: mapValues(operation.responses, ({ content, ...answer }) => ({
        ...answer,
        ...(content && {
          content: mapValues(content, (media, type) => withRecorded(media, type, operation)),
        }),
      })),
    })),
    components: { ...document.components, schemas },
  };
}

function withOwnExample(schema: Schema, name: string): Schema {
  const example = RECORDED.components[name];
  const hasOne = 'example' in schema || 'examples' in schema;
  return example === undefined || hasOne ? schema : { ...schema, examples: [example] };
}

function withRecorded(media: Media, type: string, { operationId }: Operation): Media {
  const example = RECORDED.operations[operationId]?.[type];
  const isShown = examplesOf(media).length > 0 || componentOf(media.schema ?? {}) !== null;
  return example === undefined || isShown ? media : { ...media, example };
}

interface Recorded {
  readonly components: Readonly<Record<string, unknown>>;
  /** By operation, then media type. */
  readonly operations: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
}

const RECORDED: Recorded = recorded;
