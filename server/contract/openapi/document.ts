/**
 * @module
 * This folder describes the API: as OpenAPI documents for programs and as a reference page for people.
 * This file builds both versions of the document from the routes. What the outer layers add to every route
 * (idempotency keys, tokens, budgets) is added here. OpenAPI 3.2 describes the items of a stream by
 * `itemSchema`; in 3.1 a stream is text.
 */

import { roleNeeded } from '../../callers/auth.ts';
import { isRationed } from '../../callers/caller-gate.ts';
import {
  IDEMPOTENCY_HEADER,
  IDEMPOTENCY_KEY_PATTERN,
  REPLAYED_HEADER,
} from '../../idempotency/idempotency.ts';
import { isAlwaysAnswered } from '../../request/lifecycle.ts';
import { PROBLEM_MEDIA_TYPE } from '../problem.ts';
import type { Router } from '../router.ts';
import { withExamples } from './examples.ts';
import type { Answer, Media, OpenApiDocument, Operation, Parameter } from './shape.ts';
import { mapMedia, mapOperations } from './shape.ts';

export interface OpenApiDocuments {
  readonly v31: OpenApiDocument;
  readonly v32: OpenApiDocument;
}

/** Both versions of the document of the routes that the app has by now. */
export function openApiDocuments(app: Router, version: string): OpenApiDocuments {
  const generated = app.getOpenAPI31Document(headOf(version));
  // Through JSON, so that both are what callers read: plain data. The generator says what has which
  // members in types of its own.
  const routes = JSON.parse(JSON.stringify(generated)) as OpenApiDocument; // OpenAPI 3.1 by contract.
  const whole = withExamples(withOuterLayers(routes));
  return {
    v31: mapOperations(whole, (operation) => mapMedia(operation, asText)),
    v32: { ...mapOperations(whole, (operation) => mapMedia(operation, asItems)), openapi: '3.2.0' },
  };
}

function asText({ itemSchema, ...media }: Media): Media {
  return itemSchema === undefined ? media : { ...media, schema: { type: 'string' } };
}

function asItems({ schema, ...media }: Media): Media {
  return schema === undefined || media.itemSchema !== undefined ? media : { schema, ...media };
}

function headOf(version: string) {
  return {
    openapi: '3.1.0',
    info: {
      title: 'usurp',
      version,
      description:
        'A laboratory for stolen elections: earned node IDs, budgeted adversaries, simulated elections. ' +
        'Bytes travel as lower-case hex, integers above 2^53 as strings, refusals as problem documents.',
      license: { name: 'MIT', identifier: 'MIT' },
    },
    tags: [
      { name: 'service', description: 'The server itself.' },
      { name: 'identities', description: 'Claims: keys, node IDs and the work behind them.' },
      { name: 'elections', description: 'Elections in virtual time, driven step by step.' },
      { name: 'experiments', description: 'Threat models and their runs.' },
    ],
  };
}

/** What can come before any route: 503 while the server is not ready, 429 for who asks too often, 422 for a key used twice. */
function withOuterLayers(document: OpenApiDocument): OpenApiDocument {
  const parameters = { IdempotencyKey: IDEMPOTENCY_KEY };
  return {
    ...mapOperations(document, withOuterAnswers),
    components: { ...document.components, parameters, securitySchemes: SECURITY_SCHEMES },
  };
}

function withOuterAnswers(operation: Operation, path: string): Operation {
  const { parameters = [], requestBody, responses } = operation;
  const takesKey = requestBody !== undefined;
  const isGuarded = roleNeeded('GET', path) !== null;
  return {
    ...operation,
    ...(takesKey && {
      parameters: [...parameters, { $ref: '#/components/parameters/IdempotencyKey' }],
    }),
    // An empty one says that a server may also answer without.
    ...(isGuarded && { security: [{ bearer: [] }, {}] }),
    responses: {
      ...(takesKey && { 422: MISMATCH }),
      ...(isGuarded && { 401: UNKNOWN, 403: INSUFFICIENT }),
      ...(isRationed(path) && { 429: SPENT }),
      ...(!isAlwaysAnswered(path) && { 503: UNREADY }),
      ...responses,
    },
  };
}

const IDEMPOTENCY_KEY: Parameter = {
  name: IDEMPOTENCY_HEADER,
  in: 'header',
  required: false,
  description:
    'A name for this request that the caller makes up. The same request sent again with it has no ' +
    `second effect and gets the same answer, then with ${REPLAYED_HEADER}: true.`,
  schema: { type: 'string', pattern: IDEMPOTENCY_KEY_PATTERN },
  example: '8e03978e-40d5-43dd-bc93-6894a57f9324',
};

const SECURITY_SCHEMES = {
  bearer: {
    type: 'http',
    scheme: 'bearer',
    description:
      'Demanded where the server listens for other machines, or with `usurp serve --auth`: of a reader ' +
      'to look, of a user to do anything else, of an admin for the metrics.',
  },
};

const UNKNOWN = problemAnswer('A token is demanded here, and none that is known came.');
const INSUFFICIENT = problemAnswer('The token has not the role that this needs.');
const MISMATCH = problemAnswer('The Idempotency-Key came with another path or body before.');
const SPENT = problemAnswer(
  'A budget of this caller is spent; Retry-After says when to try again.',
);
const UNREADY = problemAnswer(
  'The server is starting or stopping, or one of its limits is reached; Retry-After says when to try again.',
);

function problemAnswer(description: string): Answer {
  const schema = { $ref: '#/components/schemas/Problem' };
  return { description, content: { [PROBLEM_MEDIA_TYPE]: { schema } } };
}
