/**
 * @module
 * Command lines for an operation, ready to paste into a shell: one for each example of its body.
 */

import type { Operation, Parameter } from './shape.ts';
import { examplesOf } from './shape.ts';

/** An operation and where it is. */
export interface CalledOperation extends Omit<Operation, 'parameters'> {
  readonly method: string;
  readonly path: string;
  readonly parameters: readonly Parameter[];
}

/**
 * The command lines; a parameter of the path without an example becomes a variable of the shell, and so
 * does a header that has to be sent: `Node-Token` is `$NODE_TOKEN`.
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

function isNeededHeader({ in: place, required }: Parameter): boolean {
  return place === 'header' && required === true;
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

/** In double quotes where the shell must put a variable in, else as it is. */
function shellWord(text: string): string {
  return text.includes('$') ? `"${text}"` : text;
}

/** In single quotes, between which the shell changes nothing. */
function quoted(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}

const STREAM = 'text/event-stream';
