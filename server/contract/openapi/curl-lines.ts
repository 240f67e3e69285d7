/**
 * @module
 * Command lines of curl for an operation, one for each example of its body.
 */

import type { Operation, Parameter } from './shape.ts';
import { examplesOf } from './shape.ts';

/** An operation with its method and path. */
export interface CalledOperation extends Omit<Operation, 'parameters'> {
  readonly method: string;
  readonly path: string;
  readonly parameters: readonly Parameter[];
}

/**
 * The command lines. A path parameter without an example becomes a variable of the shell, and so does a
 * required header: `Node-Token` is `$NODE_TOKEN`.
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

function isNeededHeader({ in: location, required }: Parameter): boolean {
  return location === 'header' && required === true;
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
