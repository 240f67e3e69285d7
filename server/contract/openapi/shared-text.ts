/**
 * @module
 * A long text that many ask for and that never changes: all answers share its bytes, and who has it
 * already (RFC 9110, section 13.1.2) is told so instead.
 */

import { createHash } from 'node:crypto';
import type { Context } from 'hono';

/** How an operation describes the answer to who has it. */
export const NOT_MODIFIED = { description: 'What If-None-Match names is still what there is.' };

/** Owns its bytes, which answers refer to until they are taken. */
export class SharedText {
  readonly #bytes: Uint8Array<ArrayBuffer>;
  readonly #headers: Readonly<Record<string, string>>;
  readonly #tag: string;

  constructor(text: string, type: string) {
    this.#bytes = new TextEncoder().encode(text);
    this.#tag = `"${createHash('sha256').update(this.#bytes).digest('base64url')}"`;
    // Another version of the server may answer the next time.
    this.#headers = { 'Content-Type': type, ETag: this.#tag, 'Cache-Control': 'no-cache' };
  }

  /** The text, or that it is the same as before. */
  answer(c: Context): Response {
    const known = (c.req.header('if-none-match') ?? '').split(',').map((tag) => tag.trim());
    const { 'Content-Type': _type, ...headers } = this.#headers;
    if (known.some((tag) => tag === '*' || tag.replace(/^W\//, '') === this.#tag)) {
      return c.body(null, 304, headers);
    }
    return c.body(this.#bytes, 200, this.#headers);
  }
}
