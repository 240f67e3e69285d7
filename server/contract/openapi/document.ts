/**
 * @module
 * This folder describes the API: as OpenAPI documents for programs and as a reference page for people. This
 * file builds both versions of the document from the routes. What the outer layers add to every route
 * (idempotency keys, tokens, budgets) is added here. OpenAPI 3.2 describes the items of a stream by
 * `itemSchema`; in 3.1 a stream is text.
 */

import { roleNeeded } from '../../callers/auth.ts';
import { isRationed } from '../../callers/caller-gate.ts';
import { SESSION_COOKIE } from '../../callers/sessions.ts';
import {
  IDEMPOTENCY_HEADER,
  IDEMPOTENCY_KEY_PATTERN,
  REPLAYED_HEADER,
} from '../../idempotency/idempotency.ts';
import { isAlwaysAnswered } from '../../request/lifecycle.ts';
import recorded from '../examples.json' with { type: 'json' };
import type { HeaderName } from '../headers.ts';
import { HEADERS, headersNamed } from '../headers.ts';
import { MEANINGS, PROBLEM_MEDIA_TYPE } from '../problem.ts';
import type { Router } from '../router.ts';
import { namedShapes } from './generators.ts';
import type { Answer, Media, OpenApiDocument, Operation, Parameter, Schema } from './shape.ts';
import { componentOf, examplesOf, mapMedia, mapOperations, mapValues } from './shape.ts';

export interface OpenApiDocuments {
  readonly v31: OpenApiDocument;
  readonly v32: OpenApiDocument;
}

/** Both versions of the document of the app's routes. */
export function openApiDocuments(
  app: Router,
  version: string,
  examples: Recorded = RECORDED,
): OpenApiDocuments {
  const generated = app.getOpenAPI31Document(headOf(version));
  // Plain data, as callers receive it. The generator has other types for the same members.
  const routes = JSON.parse(JSON.stringify(generated)) as OpenApiDocument;
  const whole = namedShapes(withExamples(withOuterLayers(routes), examples));
  return {
    v31: mapOperations(whole, (operation) => mapMedia(operation, asText)),
    v32: { ...mapOperations(whole, (operation) => mapMedia(operation, asItems)), openapi: '3.2.0' },
  };
}

/** OpenAPI 3.1 has no member for the items of a stream: it is a text that contains such items. */
function asText({ itemSchema, ...media }: Media, contentMediaType: string): Media {
  if (itemSchema === undefined) return media;
  return { ...media, schema: { type: 'string', contentMediaType, contentSchema: itemSchema } };
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
        'A laboratory for leader elections under attack: earned node IDs, budgeted adversaries, simulated elections. ' +
        'Bytes are lower-case hex, integers above 2^53 are strings, refusals are problem documents.',
      license: { name: 'MIT', identifier: 'MIT' },
      contact: { name: 'The operator of this server' },
    },
    servers: [{ url: '/', description: 'The server of this document.' }],
    tags: [
      { name: 'service', description: 'The server itself.' },
      { name: 'identities', description: 'Claims: keys, node IDs and the work behind them.' },
      { name: 'elections', description: 'Elections in virtual time, advanced step by step.' },
      { name: 'sharing', description: 'Elections that a class shares.' },
      { name: 'sessions', description: 'Codes, tokens and cookies.' },
      { name: 'experiments', description: 'Threat models and their runs.' },
      {
        name: 'operations',
        description: 'What a person can ask, each defined once for all shells.',
      },
      { name: 'exercises', description: 'Coursework with automatic grading.' },
      { name: 'clusters', description: 'Live nodes: processes on the machine of the server.' },
      { name: 'class', description: 'A class with deadlines, points and a scoreboard.' },
      { name: 'jobs', description: 'Long work of every kind: its state, events and results.' },
    ],
  };
}

/** Adds the parameters and answers of the outer layers. */
function withOuterLayers(document: OpenApiDocument): OpenApiDocument {
  const parameters = { IdempotencyKey: IDEMPOTENCY_KEY };
  return {
    ...mapOperations(document, withOuterAnswers),
    components: {
      ...document.components,
      parameters,
      headers: HEADERS,
      securitySchemes: SECURITY_SCHEMES,
    },
  };
}

function withOuterAnswers(operation: Operation, path: string, method: string): Operation {
  const { parameters = [], requestBody, responses } = operation;
  const isGuarded = roleNeeded(method.toUpperCase(), path) !== null;
  // Callers at one address share the keys of open operations, and must not receive each other's answers.
  const takesKey = (requestBody !== undefined || KEYED_WITHOUT_BODY.has(path)) && isGuarded;
  return {
    ...operation,
    ...(takesKey && {
      parameters: [...parameters, { $ref: '#/components/parameters/IdempotencyKey' }],
    }),
    // The empty object says that some servers require no token.
    description: operation.description ?? `${operation.summary}.`,
    security: isGuarded ? [{ bearer: [] }, { cookie: [] }, {}] : [],
    responses: mapValues(
      {
        ...(takesKey && {
          422: problemAnswer('The Idempotency-Key came with another path or body before.'),
        }),
        ...(isGuarded && { 401: problemAnswer(MEANINGS[401]), 403: problemAnswer(MEANINGS[403]) }),
        ...(isRationed(method.toUpperCase(), path) && { 429: problemAnswer(MEANINGS[429]) }),
        ...(!isAlwaysAnswered(path) && {
          503: problemAnswer(`The server is starting or stopping. ${MEANINGS[503]}`),
        }),
        ...responses,
      },
      (answer, status) => withOuterHeaders(answer, status, takesKey),
    ),
  };
}

/** The paths whose POST takes a key and no body. */
const KEYED_WITHOUT_BODY: ReadonlySet<string> = new Set([
  '/v1/challenges',
  '/v1/class/decisions/{number}/undo',
  '/v1/class/join-codes',
  '/v1/class/members/{name}/join-code',
  '/v1/class/reload',
  '/v1/exercises/{name}/hints/{number}',
  '/v1/exercises/{name}/instances',
]);

function withOuterHeaders(answer: Answer, status: string, takesKey: boolean): Answer {
  const isRepeated = takesKey && status < '300' && status !== '204';
  const outer = headersNamed(
    'X-Request-Id',
    ...(OF_STATUS[status] ?? []),
    ...(isRepeated ? ([REPLAYED_HEADER] as const) : []),
  );
  return { ...answer, headers: { ...answer.headers, ...outer } };
}

/** The headers that every answer of a status has. */
const OF_STATUS: Readonly<Record<string, readonly HeaderName[]>> = {
  201: ['Location'],
  202: ['Location'],
  401: ['WWW-Authenticate'],
  429: ['Retry-After'],
  503: ['Retry-After'],
};

const IDEMPOTENCY_KEY: Parameter = {
  name: IDEMPOTENCY_HEADER,
  in: 'header',
  required: false,
  description:
    'A name for this request that the caller chooses. The same request with the same name has no ' +
    `second effect and gets the same answer, with ${REPLAYED_HEADER}: true.`,
  schema: { type: 'string', pattern: IDEMPOTENCY_KEY_PATTERN },
  example: '8e03978e-40d5-43dd-bc93-6894a57f9324',
};

const SECURITY_SCHEMES = {
  bearer: {
    type: 'http',
    scheme: 'bearer',
    description:
      'Required if the server listens for other machines, or with `usurp serve --auth`: the role of a ' +
      'reader to read, of a student for most other requests, of an operator for the metrics and for clusters. A participant plays ' +
      'its node with the token from POST /v1/sessions.',
  },
  cookie: {
    type: 'apiKey',
    in: 'cookie',
    name: SESSION_COOKIE,
    description:
      'For browsers: the cookie from POST /v1/sessions, in place of a token. Requests that change something also need the Origin of this server.',
  },
};

function problemAnswer(description: string): Answer {
  const schema = { $ref: '#/components/schemas/Problem' };
  return { description, content: { [PROBLEM_MEDIA_TYPE]: { schema } } };
}

/** Examples of answers. */
export interface Recorded {
  readonly components: Readonly<Record<string, unknown>>;
  /** By operation, then media type. */
  readonly operations: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
}

/** Answers of a server, as `npm run contract` writes them. */
export const RECORDED: Recorded = recorded;

/** Adds recorded examples to components and media types that have none. */
function withExamples(document: OpenApiDocument, examples: Recorded): OpenApiDocument {
  const { components } = document;
  const withOwn = (schema: Schema, name: string): Schema => {
    const example = examples.components[name];
    const hasOne = 'example' in schema || 'examples' in schema;
    return example === undefined || hasOne ? schema : { ...schema, examples: [example] };
  };
  const withRecorded = (media: Media, type: string, operationId: string): Media => {
    const example = examples.operations[operationId]?.[type];
    const isShown = examplesOf(media).length > 0 || componentOf(media.schema ?? {}) !== null;
    return example === undefined || isShown ? media : { ...media, example };
  };
  return {
    ...mapOperations(document, (operation) =>
      mapMedia(operation, (media, type) => withRecorded(media, type, operation.operationId)),
    ),
    components: { ...components, schemas: mapValues(components.schemas, withOwn) },
  };
}
