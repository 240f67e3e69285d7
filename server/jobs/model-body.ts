/**
 * @module
 * A threat model as the whole body of a request, in YAML. It is checked with the positions of its members, and
 * becomes the JSON body that names it as `threatModel`.
 */

import type { MiddlewareHandler } from 'hono';
import { Lexer } from 'yaml';

import { LabError } from '../../src/errors.ts';
import { parseDocument } from '../../src/experiment/reading/document.ts';
import {
  bodyText,
  chargedForBody,
  JSON_BODY,
  payForBody,
  requireJsonType,
} from '../contract/json-body.ts';

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

export const MODEL_BODY: MiddlewareHandler[] = [payForBody, takeYaml, ...JSON_BODY];

/** For documents. */
export const MODEL_EXAMPLE = `id: grinder
title: One adversary grinds the top ID
work: sampled
`;
