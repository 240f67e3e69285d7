/**
 * @module
 * A long text that never changes. All answers share its bytes, and a client that already has it receives 304
 * (RFC 9110, section 13.1.2).
 */

import { createHash } from 'node:crypto';
import type { Context } from 'hono';

/** How an operation describes the answer to a client that has the text. */
export const NOT_MODIFIED = { description: 'The client has the current text (If-None-Match).' };

/** Owns its bytes, which answers refer to until they are sent. */
export class SharedText {
  readonly #bytes: Uint8Array<ArrayBuffer>;
  readonly #headers: Readonly<Record<string, string>>;
  readonly #tag: string;

  constructor(text: string, type: string) {
    this.#bytes = new TextEncoder().encode(text);
    this.#tag = `"${createHash('sha256').update(this.#bytes).digest('base64url')}"`;
    // The next request may reach another version of the server.
    this.#headers = { 'Content-Type': type, ETag: this.#tag, 'Cache-Control': 'no-cache' };
  }

  /** The text, or 304 if the client has it. */
  answer(c: Context): Response {
    const known = (c.req.header('if-none-match') ?? '').split(',').map((tag) => tag.trim());
    const { 'Content-Type': _type, ...headers } = this.#headers;
    if (known.some((tag) => tag === '*' || tag.replace(/^W\//, '') === this.#tag)) {
      return c.body(null, 304, headers);
    }
    return c.body(this.#bytes, 200, this.#headers);
  }
}
