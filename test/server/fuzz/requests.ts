/**
 * @module
 * Requests for one operation of the OpenAPI document, as arbitraries: as it is described, and mutated in the
 * path, the query, the headers or the body. Names from earlier answers are inserted when the request is
 * sent, because they are not known before.
 */

import fc from 'fast-check';

import type {
  OpenApiDocument,
  Operation,
  Parameter,
  Schema,
} from '../../../server/contract/openapi/shape.ts';
import { examplesOf } from '../../../server/contract/openapi/shape.ts';
import { allOperations } from '../../../src/operations/registry.ts';
import type { KnownNames } from './known-names.ts';
import { kindOf } from './known-names.ts';
import { brokenTexts, NAUGHTY_TEXTS } from './mutations.ts';
import type { Overrides } from './schema-values.ts';
import { boundsIn, valuesOf } from './schema-values.ts';

/** One operation with its path and method. */
export interface Target {
  readonly method: string;
  readonly path: string;
  readonly operation: Operation;
}

/** A request with chosen names that are not looked up yet. */
export interface Sketch {
  readonly inPath: readonly Choice[];
  readonly inQuery: readonly (readonly [name: string, choice: Choice])[];
  readonly inHeaders: readonly (readonly [name: string, choice: Choice])[];
  readonly body: string | null;
}

/** The value of a parameter: a known name of this kind, or a text. */
export interface Choice {
  readonly known: string | null;
  readonly index: number;
  readonly text: string;
}

/** What the app receives. */
export interface Sent {
  readonly method: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | null;
}

export function targetsOf({ paths }: OpenApiDocument): Target[] {
  return Object.entries(paths).flatMap(([path, item]) =>
    Object.entries(item).map(([method, operation]) => ({
      ...{ method: method.toUpperCase(), path, operation },
    })),
  );
}

/** The collection of the objects at a path: `elections`. Every kind of job has a path for its creation. */
export function collectionOf(path: string): string {
  const name = path.split('/')[2] ?? '';
  return JOB_COLLECTIONS.has(name) ? 'jobs' : name;
}

const JOB_COLLECTIONS: ReadonlySet<string> = new Set([
  'sweeps',
  ...allOperations().map(({ collection }) => collection),
]);

/** Requests for the operation. With `isBroken`, most of them are mutated. */
export function sketchesOf(
  { path, operation }: Target,
  document: OpenApiDocument,
  isBroken: boolean,
): fc.Arbitrary<Sketch> {
  const parameters = (operation.parameters ?? []).map((each) => resolved(each, document));
  const placed = (location: string) => parameters.filter((each) => each.in === location);
  const choices = (parameter: Parameter) => choicesOf(parameter, path, document, isBroken);
  return fc.record({
    inPath: fc.tuple(...placed('path').map(choices)),
    inQuery: pairsOf(placed('query'), choices, isBroken ? BROKEN_QUERY : null),
    inHeaders: fc
      .tuple(
        pairsOf(placed('header'), choices, isBroken ? BROKEN_HEADERS : null),
        pairsOf([ACCEPT], () => acceptsOf(operation, isBroken), null),
        contentTypes(isBroken),
      )
      .map((groups) => groups.flat()),
    body: bodiesOf(operation, document, isBroken),
  });
}

/** The request with the names that are known now. */
export function sentOf({ method, path }: Target, sketch: Sketch, known: KnownNames): Sent {
  const { players } = known;
  const player = path.includes('{node}')
    ? players.at(-1 - ((sketch.inPath[0]?.index ?? 0) % players.length))
    : undefined;
  const said = ({ known: kind, index, text }: Choice) => {
    if (kind === null) return text;
    const own = player?.[kind];
    const names = own === undefined ? known.of(kind) : [own];
    return names.at(-1 - (index % names.length)) ?? text;
  };
  let index = 0;
  const filled = path.replaceAll(/\{\w+\}/g, () => {
    const choice = sketch.inPath[index];
    index += 1;
    return choice === undefined ? 'x' : escaped(said(choice));
  });
  const query = sketch.inQuery.map(([name, choice]) => `${escaped(name)}=${escaped(said(choice))}`);
  const headers = sketch.inHeaders.map(([name, choice]) => [name, inHeader(said(choice))]);
  return {
    method,
    path: query.length === 0 ? filled : `${filled}?${query.join('&')}`,
    headers: Object.fromEntries(headers),
    body: sketch.body,
  };
}

function resolved(parameter: Parameter | { readonly $ref: string }, document: OpenApiDocument) {
  if (!('$ref' in parameter)) return parameter;
  const name = parameter.$ref.split('/').at(-1) ?? '';
  const found = document.components.parameters?.[name];
  if (found === undefined)
    throw new TypeError(`"$ref" expected a parameter, got ${parameter.$ref}`);
  return found;
}

function choicesOf(
  { name, schema = {} }: Parameter,
  path: string,
  document: OpenApiDocument,
  isBroken: boolean,
): fc.Arbitrary<Choice> {
  const texts = (OVERRIDES[name] ?? valuesOf(schema, { document })).map(String);
  const naughty = fc.constantFrom(...NAUGHTY_TEXTS, '%zz', '%00', '%2e%2e', '..', '-1', '1e9');
  return fc.record({
    known: fc.oneof(
      { weight: 4, arbitrary: fc.constant(kindOf(name, collectionOf(path))) },
      { weight: 1, arbitrary: fc.constant(null) },
    ),
    index: fc.nat(3),
    text: isBroken ? fc.oneof(texts, naughty) : texts,
  });
}

/** All required parameters, some of the others, and perhaps an unknown one. */
function pairsOf(
  parameters: readonly Parameter[],
  choices: (parameter: Parameter) => fc.Arbitrary<Choice>,
  broken: fc.Arbitrary<readonly [string, Choice][]> | null,
): fc.Arbitrary<readonly (readonly [string, Choice])[]> {
  const pairs = parameters.map((parameter) => {
    const pair = choices(parameter).map((choice) => [[parameter.name, choice] as const]);
    return parameter.required === true ? pair : fc.oneof(pair, fc.constant([]));
  });
  return fc
    .tuple(fc.tuple(...pairs), broken ?? fc.constant([]))
    .map(([own, others]) => [...own.flat(), ...others]);
}

/** Media types that the operation offers or does not offer. */
function acceptsOf({ responses }: Operation, isBroken: boolean): fc.Arbitrary<Choice> {
  const types = Object.values(responses).flatMap(({ content = {} }) => Object.keys(content));
  const broken = ['text/nothing', ';;', 'a'.repeat(2000), '*/*;q=0', 'text/*, */*;q=NaN'];
  return fc.constantFrom('*/*', ...types, ...(isBroken ? broken : [])).map(textChoice);
}

function contentTypes(isBroken: boolean): fc.Arbitrary<readonly (readonly [string, Choice])[]> {
  const right = fc.constant('application/json');
  const types = isBroken
    ? fc.oneof({ weight: 9, arbitrary: right }, { weight: 1, arbitrary: fc.constantFrom(...TYPES) })
    : right;
  return types.map((type) => [['Content-Type', textChoice(type)]]);
}

function bodiesOf(
  { requestBody }: Operation,
  document: OpenApiDocument,
  isBroken: boolean,
): fc.Arbitrary<string | null> {
  const media = requestBody?.content['application/json'];
  if (media === undefined) return fc.constant(null);
  const schema: Schema = media.schema ?? {};
  const drawn = valuesOf(schema, { document, overrides: OVERRIDES });
  const documented = examplesOf(media);
  const moderate = moderationOf(resolvedSchema(schema, document));
  const examples = fc
    .tuple(fc.constantFrom(...documented), moderate)
    .map(([example, members]) => Object.assign({}, example, members));
  const values =
    documented.length === 0
      ? drawn
      : fc.oneof({ weight: 2, arbitrary: drawn }, { weight: 1, arbitrary: examples });
  return isBroken
    ? brokenTexts(values, boundsIn(resolvedSchema(schema, document)))
    : values.map((value) => JSON.stringify(value));
}

/** The members of this schema whose values stay small. */
function moderationOf({ properties }: Schema): fc.Arbitrary<object> {
  const names = Object.keys(OVERRIDES).filter((name) => name in Object(properties));
  return fc.record(Object.fromEntries(names.map((name) => [name, OVERRIDES[name] ?? fc.nat(0)])));
}

function resolvedSchema(schema: Schema, document: OpenApiDocument): Schema {
  const name = typeof schema.$ref === 'string' ? schema.$ref.split('/').at(-1) : undefined;
  return name === undefined ? schema : (document.components.schemas[name] ?? {});
}

function textChoice(text: string): Choice {
  return { known: null, index: 0, text };
}

/** As a browser encodes it. Half of a surrogate pair has no UTF-8 form. */
function escaped(text: string): string {
  return /^%[0-9a-z]{2}/i.test(text) || text === '..'
    ? text
    : encodeURIComponent(text.toWellFormed());
}

/** What HTTP allows in a header: Latin-1 without control characters. */
function inHeader(text: string): string {
  return text.replaceAll(/[^\t\u0020-\u007e\u00a0-\u00ff]/g, '?').trim();
}

const ACCEPT: Parameter = { name: 'Accept', in: 'header' };

/** Small values for members that make requests wait, and likely values for members with few valid ones. */
const OVERRIDES: Overrides = {
  waitMs: fc.constantFrom(0, 1, 5),
  through: fc.nat(2),
  // Jobs end only when the lab ticks.
  prefer: fc.constantFrom('wait=0', 'respond-async', 'wait=x'),
};

const BROKEN_QUERY: fc.Arbitrary<readonly [string, Choice][]> = fc.oneof(
  { weight: 4, arbitrary: fc.constant([]) },
  {
    weight: 1,
    arbitrary: fc
      .tuple(
        fc.constantFrom('pageSize', 'pageToken', 'sort', '__proto__', 'id', 'constructor', ''),
        fc.constantFrom(...NAUGHTY_TEXTS).map(textChoice),
      )
      .map((pair) => [pair, pair]),
  },
);

const BROKEN_HEADERS: fc.Arbitrary<readonly [string, Choice][]> = fc.oneof(
  { weight: 4, arbitrary: fc.constant([]) },
  {
    weight: 1,
    arbitrary: fc
      .tuple(
        fc.constantFrom(
          ...['Idempotency-Key', 'Last-Event-ID', 'Content-Encoding', 'X-Request-Id', 'Range'],
          ...['If-None-Match', 'Authorization', 'X-HTTP-Method-Override', 'X-Forwarded-For'],
          ...['Node-Token', 'Origin', 'Cookie', 'Content-Length', '__proto__', 'Expect'],
        ),
        fc.constantFrom(...NAUGHTY_TEXTS, 'gzip', '-1', '1e3', '9'.repeat(300)).map(textChoice),
      )
      .map((pair) => [pair]),
  },
);

const TYPES = [
  ...['', 'text/plain', 'application/json; charset=utf-16', 'application/jsonx'],
  ...['multipart/form-data; boundary=x', 'application/x-www-form-urlencoded', 'application/xml'],
];
