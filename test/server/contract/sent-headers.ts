/**
 * @module
 * Compares the headers of an answer with those that the document declares for it.
 */

import type { OpenApiDocument, Operation } from '../../../server/contract/openapi/shape.ts';
import { componentOf } from '../../../server/contract/openapi/shape.ts';

/** An answer, with the request to which it was sent. */
export interface SentAnswer {
  readonly method: string;
  readonly path: string;
  readonly response: Response;
}

/** Headers for browsers, caches and proxies, which every answer may have, and the type of the content. */
const ALWAYS_ALLOWED: ReadonlySet<string> = new Set([
  ...['content-type', 'connection', 'vary', 'cache-control', 'x-accel-buffering'],
  ...['content-security-policy', 'cross-origin-resource-policy', 'referrer-policy'],
  'x-content-type-options',
]);

/** One line for each header that is sent and not declared, or declared as required and not sent. */
export function headerFaults(
  document: OpenApiDocument,
  { method, path, response }: SentAnswer,
): string[] {
  const answer = operationAt(document, method, path)?.responses[response.status];
  if (answer === undefined) return [];
  const declared = new Map(
    Object.entries(answer.headers ?? {}).map(([name, reference]) => {
      const header = document.components.headers?.[componentOf({ ...reference }) ?? ''];
      return [name.toLowerCase(), header?.required === true];
    }),
  );
  const where = `${method} ${path} ${response.status}`;
  const sent = [...new Set(response.headers.keys())];
  const others = sent.filter((name) => !declared.has(name) && !ALWAYS_ALLOWED.has(name));
  const missing = [...declared].filter(([name, isRequired]) => isRequired && !sent.includes(name));
  return [
    ...others.map((name) => `${where}: ${name} is not declared`),
    ...missing.map(([name]) => `${where}: ${name} is not sent`),
  ];
}

function operationAt(document: OpenApiDocument, method: string, path: string): Operation | null {
  const [pathname = ''] = path.split('?');
  for (const [template, item] of Object.entries(document.paths)) {
    const pattern = new RegExp(`^${template.replaceAll(/\{\w+\}/g, '[^/]+')}$`);
    if (pattern.test(pathname)) return item[method.toLowerCase()] ?? null;
  }
  return null;
}
