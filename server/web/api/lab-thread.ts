/**
 * @module
 * The API in a thread of this page, for a lab without a server (`usurp lab`). Its page says so in its first element.
 */

import type { AskedRequest, Part } from './lab-messages.ts';

/** Whether this page has no server. Threads and tests of the client have no document. */
export const hasNoServer = globalThis.document?.documentElement.dataset['server'] === 'none';

/** Where elections and results are. */
export const HERE = hasNoServer ? 'in this page' : 'on this server';

let started: Promise<Worker> | null = null;

/** Starts the thread once. Resolves when it can answer. */
function thread(): Promise<Worker> {
  started ??= new Promise((resolve, reject) => {
    const worker = new Worker(new URL('thread/lab-thread.js', document.baseURI), {
      type: 'module',
    });
    worker.addEventListener('message', () => resolve(worker), { once: true });
    worker.addEventListener('error', ({ message }) => reject(new TypeError(message)));
  });
  return started;
}

/** Does what `fetch` does, with an answer of the thread. */
export async function fetchFromThread(info: RequestInfo, init?: RequestInit): Promise<Response> {
  // A path of the API has no folder, also if the page is in one.
  const request =
    info instanceof Request ? info : new Request(new URL(info, location.origin), init);
  const { url, method, headers, signal } = request;
  const worker = await thread();
  const body = method === 'GET' || method === 'HEAD' ? null : await request.arrayBuffer();
  const { port1: port, port2: answering } = new MessageChannel();
  const asked: AskedRequest = { url, method, headers: [...headers], body };
  worker.postMessage(asked, [answering]);
  const cancel = () => port.postMessage('cancel');
  return new Promise((resolve, reject) => {
    let bytes: ReadableStreamDefaultController<Uint8Array<ArrayBuffer>> | null = null;
    signal.addEventListener('abort', () => {
      cancel();
      reject(signal.reason);
      bytes?.error(signal.reason);
      bytes = null;
    });
    port.onmessage = ({ data: part }: MessageEvent<Part>) => {
      if (part.type === 'bytes') bytes?.enqueue(part.bytes);
      else if (part.type === 'end') bytes?.close();
      else {
        const start = (own: ReadableStreamDefaultController<Uint8Array<ArrayBuffer>>) => {
          bytes = own;
        };
        const stream = new ReadableStream({ start, cancel });
        const { status, statusText } = part;
        const hasNoBody = status === 204 || status === 304;
        resolve(
          new Response(hasNoBody ? null : stream, {
            status,
            statusText,
            headers: [...part.headers],
          }),
        );
      }
    };
  });
}
