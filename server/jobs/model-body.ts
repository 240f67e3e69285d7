/**
 * @module
 * A threat model as the whole body of a request, in YAML. It is checked with the positions of its members, and
 * becomes the JSON body that names it as `threatModel`.
 */

import type { MiddlewareHandler } from 'hono';
import { parseThreatModel } from '../../src/experiment/reading/document.ts';
import { readYaml } from '../../src/experiment/reading/yaml.ts';
import { bodyText, JSON_BODY } from '../contract/json-body.ts';

const YAML_MEDIA_TYPE =
  /^application\/(?:x-)?yaml[ \t]*(?:;[ \t]*charset[ \t]*=[ \t]*"?utf-8"?[ \t]*)?$/i;

/** What positions in refusals name. */
const BODY_NAME = 'body';

/** The middleware of a route whose JSON body has a `threatModel`. A body in YAML is the threat model. */
const takeYaml: MiddlewareHandler = async (c, next) => {
  if (!YAML_MEDIA_TYPE.test(c.req.header('content-type') ?? '')) return next();
  const text = await bodyText(c);
  parseThreatModel(text, BODY_NAME);
  const reading = readYaml(text);
  const threatModel = reading.outcome === 'read' ? reading.data : null;
  const headers = new Headers(c.req.raw.headers);
  headers.set('Content-Type', 'application/json');
  headers.delete('Content-Length');
  const body = JSON.stringify({ threatModel });
  c.req.raw = new Request(c.req.url, { method: c.req.method, headers, body });
  return next();
};

export const MODEL_BODY: MiddlewareHandler[] = [takeYaml, ...JSON_BODY];

/** For documents. */
export const MODEL_EXAMPLE = `id: grinder
title: One adversary grinds the top ID
work: sampled
`;
