/**
 * @module
 * The route that submits a job of one kind.
 */

import { createRoute, z } from '@hono/zod-openapi';
import { capitalized } from '../../src/printable.ts';

import { headersNamed } from '../contract/headers.ts';
import { chargedForBody, JSON_BODY } from '../contract/json-body.ts';
import { bodyRefusals, refusals } from '../contract/problem.ts';
import { createRouter, jsonAnswer, jsonRequest, NO_QUERY } from '../contract/router.ts';
import type { Principal } from '../request/principal.ts';
import type { JobKind, JobViewSchema, SubmittedTypes } from './job-kind.ts';
import { jobPath, shownTo } from './job-kind.ts';
import type { JobStore } from './job-store.ts';
import type { WaitParts } from './job-wait.ts';
import { answerWaiting, preferHeader } from './job-wait.ts';
import { MODEL_BODY, MODEL_EXAMPLE, YAML_CHARACTERS_MAX } from './model-body.ts';

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
    ...{ tags, summary, middleware: takesModel ? MODEL_BODY : JSON_BODY },
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
