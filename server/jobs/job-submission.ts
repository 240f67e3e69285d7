/**
 * @module
 * The route that submits a job of one kind.
 */

import { createRoute, z } from '@hono/zod-openapi';
import type { MiddlewareHandler } from 'hono';
import { Lexer } from 'yaml';
import { LabError } from '../../src/errors.ts';
import { parseDocument } from '../../src/experiment/reading/document.ts';
import { capitalized } from '../../src/printable.ts';
import { headersNamed } from '../contract/headers.ts';
import {
  bodyText,
  chargedForBody,
  JSON_BODY,
  payForBody,
  requireJsonType,
} from '../contract/json-body.ts';
import { bodyRefusals, refusals } from '../contract/problem.ts';
import { createRouter, jsonAnswer, jsonRequest, NO_QUERY } from '../contract/router.ts';
import type { Principal } from '../request/principal.ts';
import type { JobKind, JobViewSchema, SubmittedTypes } from './job-kind.ts';
import { jobPath, shownTo } from './job-kind.ts';
import type { JobStore } from './job-store.ts';
import type { WaitParts } from './job-wait.ts';
import { answerWaiting, preferHeader } from './job-wait.ts';

function submitRoute<
  const Plural extends string,
  Body extends z.ZodType,
  View extends JobViewSchema,
  T extends SubmittedTypes,
>({
  plural,
  name,
  tags,
  summary,
  description,
  body,
  example,
  view,
  takesModel = false,
  canConflict = false,
}: JobKind<T, Plural, Body, View>) {
  const json = jsonRequest(body, { example });
  const yaml = {
    'application/yaml': { schema: z.string().max(YAML_CHARACTERS_MAX), example: MODEL_EXAMPLE },
  };
  return createRoute({
    method: 'post',
    path: `/v1/${plural}` as const,
    operationId: `submit${name.split('-').map(capitalized).join('')}`,
    ...(description !== undefined && { description }),
    tags,
    summary,
    middleware: takesModel ? MODEL_BODY : JSON_BODY,
    request: {
      query: takesModel ? NO_MODEL_QUERY : NO_QUERY,
      headers: preferHeader,
      body: takesModel ? { ...json, content: { ...json.content, ...yaml } } : json,
    },
    responses: {
      202: {
        ...jsonAnswer(
          view,
          'The job as it is now. It may be over already: `status` says so. Location is its path.',
        ),
        headers: headersNamed('Preference-Applied'),
      },
      ...bodyRefusals(503),
      ...(canConflict && refusals(409)),
    },
  });
}

const PARAMETERS_RULE =
  'belongs in the body: send JSON with the threat model as its member threatModel, and runs, seed, set and others beside it';

/** The query beside a threat model in YAML, which has no place for parameters. */
const NO_MODEL_QUERY = z.strictObject({}, PARAMETERS_RULE);

/** The route with its answer. `parse` checks a body. */
export function submissionRouter<
  const Plural extends string,
  Body extends z.ZodType,
  View extends JobViewSchema,
  T extends SubmittedTypes,
>(
  kind: JobKind<T, Plural, Body, View>,
  store: JobStore<T>,
  parse: (body: z.output<Body>, principal: Principal) => T['request'],
  parts: WaitParts,
) {
  return createRouter().openapi(submitRoute(kind), (c) => {
    // The schema of this route. Its type is not resolved while Body is generic.
    const body = c.req.valid('json' as never) as z.output<Body>;
    const request = chargedForBody(c, () => parse(body, c.get('principal')));
    return answerWaiting(c, parts, async (wait) => {
      const job = store.submit(request, c.get('principal'));
      const feed = store.feed(job.id, c.get('principal'));
      await wait(feed);
      c.header('Location', jobPath(job.id));
      return c.json(kind.viewOf(shownTo(c.get('principal'), feed.at(feed.last) ?? job)), 202);
    });
  });
}

const YAML_MEDIA_TYPE =
  /^application\/(?:x-)?yaml[ \t]*(?:;[ \t]*charset[ \t]*=[ \t]*"?utf-8"?[ \t]*)?$/i;

/** What positions in refusals name. */
const BODY_NAME = 'body';

/** The middleware of a route whose JSON body has a `threatModel`. A body in YAML is the threat model. */
const takeYaml: MiddlewareHandler = async (c, next) => {
  if (!YAML_MEDIA_TYPE.test(c.req.header('content-type') ?? '')) {
    requireJsonType(c, 'application/json, or application/yaml for a threat model, in UTF-8');
    return next();
  }
  const text = await bodyText(c);
  const { data: threatModel } = chargedForBody(c, () => {
    assertCheap(text);
    assertModelItself(text);
    return parseDocument(text, BODY_NAME);
  });
  const headers = new Headers(c.req.raw.headers);
  headers.set('Content-Type', 'application/json');
  headers.delete('Content-Length');
  const body = JSON.stringify({ threatModel });
  c.req.raw = new Request(c.req.url, { method: c.req.method, headers, body });
  return next();
};

/** Twice the longest threat model of the catalogue. A longer one can be sent as JSON. */
export const YAML_CHARACTERS_MAX = 4096;

/**
 * Refuses a text whose parsing could keep other requests waiting. YAML's grammar and error messages are slow, and
 * aliases are resolved before the parser reports them.
 */
function assertCheap(text: string): void {
  if (text.length > YAML_CHARACTERS_MAX) {
    const detail = `a threat model in YAML has at most ${YAML_CHARACTERS_MAX} characters, got ${text.length}; send it as JSON`;
    throw new LabError('body.too_large', detail);
  }
  let line = 1;
  /** Open brackets, and dashes and question marks that begin something within the same line. */
  let depth = 0;
  let begun = 0;
  let isScalar = false;
  for (const token of new Lexer().lex(text)) {
    if (!isScalar) {
      if (/^[&*!]/.test(token)) {
        refuse(line, 'anchors, aliases and tags are not accepted; write the value itself');
      }
      if (token === '[' || token === '{') depth += 1;
      if (token === ']' || token === '}') depth -= 1;
      if (token === '-' || token === '?') begun += 1;
      if (depth + begun > LEVELS_MAX) {
        refuse(line, 'this is nested too deeply; a threat model needs four levels');
      }
    }
    isScalar = token === SCALAR_FOLLOWS;
    if (!token.includes('\n')) continue;
    line += token.split('\n').length - 1;
    begun = 0;
  }
}

/** Refuses a body of the route that was written in YAML. Only a threat model can be. */
function assertModelItself(text: string): void {
  for (const [index, line] of text.split('\n').entries()) {
    const [, name] = /^["']?(threatModel|seed|set|axes|untilDecided)["']?[ \t]*:/.exec(line) ?? [];
    if (name === undefined) continue;
    const rest = name === 'threatModel' ? '' : `, and ${name} beside it`;
    const problem = `${name} is no member of a threat model; send JSON with the threat model as its member threatModel${rest}`;
    refuse(index + 1, problem, `/${name}`);
  }
}

function refuse(line: number, problem: string, pointer = ''): never {
  const detail = `${BODY_NAME}:${line}: ${problem}`;
  throw new LabError('document', detail, [{ pointer, detail }]);
}

/** Brackets within brackets. */
const LEVELS_MAX = 16;

/** What the lexer writes before a plain or block scalar. */
const SCALAR_FOLLOWS = '\u001f';

const MODEL_BODY: MiddlewareHandler[] = [payForBody, takeYaml, ...JSON_BODY];

/** For documents. */
const MODEL_EXAMPLE = `id: grinder
title: One adversary grinds the top ID
work: sampled
`;
