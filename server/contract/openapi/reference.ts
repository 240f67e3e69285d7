/**
 * @module
 * The OpenAPI document as pages for people: one of all operations, and one of each schema. They are plain HTML without
 * scripts or external resources, so that they work without a network and under a policy that allows only their style sheet.
 * Hono's `html` escapes all values.
 */

import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { html, raw } from 'hono/html';
import { PROBLEM_MEDIA_TYPE } from '../problem.ts';
import type {
  Answer,
  Components,
  Content,
  Media,
  OpenApiDocument,
  Operation,
  Parameter,
  Reference,
  Schema,
} from './shape.ts';
import { componentOf, examplesOf, IN_EXAMPLES, mapValues } from './shape.ts';

type Html = ReturnType<typeof html>;

const STYLE = readFileSync(new URL('./reference.css', import.meta.url), 'utf8');

/** The source that a content security policy must allow for the pages: their style sheet, by digest. */
export const REFERENCE_STYLE_SOURCE = `'sha256-${createHash('sha256').update(STYLE).digest('base64')}'`;

/**
 * The page of all operations for clients that reached the server at an origin, which its command lines contain. It is
 * rendered once, because a client can invent any number of names.
 */
export function referencePage(document: OpenApiDocument): (origin: string) => string {
  // Bytes outside of the heap.
  const page = Buffer.from(String(render(document, ORIGIN)));
  return (origin) => page.toString().replaceAll(ORIGIN, () => String(html`${origin}`));
}

/** Stands for the origin. No document contains it, and neither a shell nor HTML changes it. */
const ORIGIN = 'http://origin.invalid';

interface Described extends Operation {
  readonly method: string;
  readonly path: string;
}

/** The page of each schema, by its name. */
export function schemaPages({ components }: OpenApiDocument): Readonly<Record<string, string>> {
  return mapValues(components.schemas, (schema, name) => {
    const body = html`<h1>${name}</h1>
<p>A schema of the <a href="/reference">HTTP reference</a>.</p>
<pre>${linked(schema, 2)}</pre>`;
    return String(framed(name, body));
  });
}

function framed(title: string, body: Html): Html {
  return html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>${title}</title>
<style>${raw(STYLE)}</style>
</head>
<body>
${body}
</body>
</html>`;
}

function render(document: OpenApiDocument, origin: string): Html {
  const { info, tags, components } = document;
  const groups = tags.map((tag) => ({ ...tag, operations: operationsOf(document, tag.name) }));
  const body = html`<h1>${info.title} ${info.version}</h1>
<p>${info.description}</p>
<p>For programs: <a href="/openapi.json">OpenAPI 3.1</a>, <a href="/openapi-3.2.json">3.2</a>.</p>
<p>If the server requires a token, add <code>-H "Authorization: Bearer $TOKEN"</code>.</p>
<nav>${groups.map(({ name, operations }) => html`<h2>${name}</h2><ul>${operations.map(entry)}</ul>`)}
<h2>more</h2><ul><li><a href="#refusals">Refusals</a></li><li><a href="#schemas">Schemas</a></li></ul></nav>
${groups.map(
  ({ name, description, operations }) => html`<section><h2>${name}</h2><p>${description}</p>
${operations.map((operation) => article(operation, { components, origin }))}</section>`,
)}
<section id="refusals"><h2>Refusals</h2><p>The body of a refusal is a ${schemaLink('Problem')}.</p>
<table>${refusalsOf(groups.flatMap(({ operations }) => operations))}</table></section>
<section id="schemas"><h2>Schemas</h2>
<p>${Object.keys(components.schemas).map((name) => html`${schemaLink(name)} `)}</p></section>`;
  return framed(`${info.title} ${info.version}: HTTP reference`, body);
}

/** Each status of a refusal with its meanings. */
function refusalsOf(operations: readonly Described[]): Html {
  const answers = operations.flatMap(({ responses }) => Object.entries(responses));
  const byStatus = Object.groupBy(
    answers.filter(([, answer]) => isRefusal(answer)),
    ([status]) => status,
  );
  return html`${Object.entries(byStatus).map(([status, all = []]) => {
    const meanings = new Set(all.map(([, { description }]) => description));
    return html`<tr><th>${status}</th><td>${[...meanings].map((text) => html`<div>${text}</div>`)}</td></tr>`;
  })}`;
}

function isRefusal({ content = {} }: Answer): boolean {
  return PROBLEM_MEDIA_TYPE in content;
}

function operationsOf({ paths }: OpenApiDocument, tag: string): Described[] {
  return Object.entries(paths).flatMap(([path, item]) =>
    Object.entries(item)
      .filter(([, { tags }]) => tags[0] === tag)
      .map(([method, operation]) => ({ ...operation, method: method.toUpperCase(), path })),
  );
}

function entry({ operationId, method, path }: Described): Html {
  return html`<li><a href="#${operationId}"><code>${method} ${path}</code></a></li>`;
}

interface Surroundings {
  readonly components: Components;
  readonly origin: string;
}

function article(operation: Described, { components, origin }: Surroundings): Html {
  const { operationId, method, path, summary, description, requestBody } = operation;
  const parameters = (operation.parameters ?? []).map((each) => resolved(each, components));
  const lines = curlLines({ ...operation, parameters }, origin);
  const answers = Object.entries(operation.responses);
  const refusals = answers.filter(([, answer]) => isRefusal(answer)).map(([status]) => status);
  return html`<article id="${operationId}">
<h3><code>${method} ${path}</code></h3>
<p>${summary}.${description === undefined || description === `${summary}.` ? '' : html` ${description}`}</p>
${parameters.length === 0 ? '' : parameterTable(parameters)}
${requestBody === undefined ? '' : html`<h4>Body</h4>${content(requestBody.content)}`}
<h4>Try it</h4><pre>${text(lines.join('\n'))}</pre>
<h4>Answers</h4>
<table>${answers.map(([status, answer]) =>
    isRefusal(answer)
      ? ''
      : html`<tr><th>${status}</th><td>${answer.description}
${answer.content === undefined ? '' : content(answer.content)}</td></tr>`,
  )}
<tr><th><a href="#refusals">Refusals</a></th><td>${refusals.join(', ')}</td></tr></table>
</article>`;
}

function resolved(parameter: Parameter | Reference, { parameters = {} }: Components): Parameter {
  if (!('$ref' in parameter)) return parameter;
  const name = parameter.$ref.split('/').at(-1) ?? '';
  return parameters[name] ?? { name, in: 'unknown' };
}

function parameterTable(parameters: readonly Parameter[]): Html {
  return html`<h4>Parameters</h4><table>${parameters.map(
    ({ name, in: location, required, description, schema }) => html`<tr>
<th><code>${name}</code></th><td>${location}${required === true ? ', required' : ''}</td>
<td>${description ?? ''} ${schema === undefined ? '' : html`<code>${linked({ ...schema, description: undefined }, 0)}</code>`}</td>
</tr>`,
  )}</table>`;
}

function content(types: Content): Html {
  return html`${Object.entries(types).map(
    ([type, media]) => html`<div><code>${type}</code> ${media.schema ? schemaOf(media.schema) : ''}
${exampleDetails(media)}</div>`,
  )}`;
}

function schemaOf(schema: Schema): Html {
  const name = componentOf(schema);
  if (name !== null) return schemaLink(name);
  return html`<details><summary>schema</summary><pre>${linked(schema, 2)}</pre></details>`;
}

function exampleDetails(media: Media): Html {
  return html`${examplesOf(media).map(
    (example) =>
      html`<details><summary>example</summary><pre>${text(
        typeof example === 'string' ? example : JSON.stringify(example, null, 2),
      )}</pre></details>`,
  )}`;
}

/** A value as JSON with links for the references to other schemas. */
function linked(value: unknown, indent: number): Html {
  const parts = JSON.stringify(value, null, indent).split(SCHEMA_REFERENCE);
  // Splitting by a pattern with one group puts the matches at odd indices.
  return html`${parts.map((part, index) => (index % 2 === 1 ? schemaLink(part) : text(part)))}`;
}

function schemaLink(name: string): Html {
  return html`<a href="/reference?schema=${name}">${name}</a>`;
}

/** Text of an element. Quotes, of which JSON has many, need no escape there. */
function text(content: string): Html {
  return raw(content.replaceAll('&', '&amp;').replaceAll('<', '&lt;'));
}

const SCHEMA_REFERENCE = /"#\/components\/schemas\/([\w.-]+)"/;

/** An operation with its method and path. */
export interface CalledOperation extends Omit<Operation, 'parameters'> {
  readonly method: string;
  readonly path: string;
  readonly parameters: readonly Parameter[];
}

/**
 * The command lines. A path parameter without an example becomes a variable of the shell, and so does a
 * header that is required or usual: `Node-Token` is `$NODE_TOKEN`.
 */
export function curlLines(operation: CalledOperation, origin: string): string[] {
  const { method, parameters, requestBody, responses } = operation;
  const url = shellWord(`${origin}${pathOf(operation)}`);
  const follows = Object.values(responses).some(({ content = {} }) => STREAM in content);
  const words = [
    'curl -s',
    ...(follows ? [`-N -H 'Accept: ${STREAM}'`] : []),
    ...(method === 'GET' || (method === 'POST' && requestBody !== undefined)
      ? []
      : [`-X ${method}`]),
    ...parameters.filter(isNeededHeader).map(headerWords),
    url,
  ];
  const bodies = Object.entries(requestBody?.content ?? {}).flatMap(([type, media]) =>
    examplesOf(media).map((example) => bodyWords(type, example)),
  );
  return (bodies.length === 0 ? [''] : bodies).map((body) => `${words.join(' ')}${body}`);
}

function isNeededHeader({ in: location, required, schema = {} }: Parameter): boolean {
  return location === 'header' && (required === true || schema[IN_EXAMPLES] === true);
}

function headerWords({ name }: Parameter): string {
  const shown = name.replaceAll(/\b[a-z]/g, (letter) => letter.toUpperCase());
  return `-H "${shown}: $${name.toUpperCase().replaceAll('-', '_')}"`;
}

function bodyWords(type: string, example: unknown): string {
  const text = typeof example === 'string' ? example : JSON.stringify(example);
  return ` -H ${quoted(`Content-Type: ${type}`)} \\\n  -d ${quoted(text)}`;
}

function pathOf({ path, parameters }: CalledOperation): string {
  return path.replaceAll(/\{(\w+)\}/g, (_whole, name: string) => {
    const parameter = parameters.find((each) => each.in === 'path' && each.name === name);
    const example = parameter?.example ?? parameter?.schema?.example;
    return typeof example === 'string' ? encodeURIComponent(example) : `$${name.toUpperCase()}`;
  });
}

/** In double quotes if the shell must replace a variable, else unchanged. */
function shellWord(text: string): string {
  return text.includes('$') ? `"${text}"` : text;
}

/** In single quotes, in which the shell replaces nothing. */
function quoted(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}

const STREAM = 'text/event-stream';
