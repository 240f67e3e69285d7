/**
 * @module
 * What a page and the thread with the API send each other.
 */

/** A request. The thread answers it through the port that comes with it. */
export interface AskedRequest {
  readonly url: string;
  readonly method: string;
  readonly headers: readonly [name: string, value: string][];
  readonly body: ArrayBuffer | null;
}

/** A part of an answer: its head, then its bytes, then its end. */
export type Part =
  | {
      readonly type: 'head';
      readonly status: number;
      readonly statusText: string;
      readonly headers: readonly [name: string, value: string][];
    }
  | { readonly type: 'bytes'; readonly bytes: Uint8Array<ArrayBuffer> }
  | { readonly type: 'end' };
