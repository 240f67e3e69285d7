/**
 * @module
 * Follows the events of an election or a job as JSON lines. A stream that breaks off is continued after the last
 * event that arrived (Last-Event-ID), so that no event is lost or repeated.
 */

import {
  fetchFromServer,
  LostServerError,
  ProblemError,
  problemFrom,
  untilServerIsUp,
} from './client.ts';

/** A line of a stream: an event, which has a number, or a notice such as `done`. */
export interface StreamLine {
  readonly event: string;
  readonly seq?: number;
  /** With the notice `resync`: the number of the last event before the next. */
  readonly after?: number;
  readonly reason?: string;
}

export interface Following<Line extends StreamLine> {
  /** The path of the stream, such as `/v1/jobs/…/events`. */
  readonly path: string;
  /** The number of the last event that is known; -1 for none. */
  readonly after: number;
  /** Receives the lines of each piece of the stream, in order. */
  readonly onLines: (lines: readonly Line[]) => void;
  readonly signal: AbortSignal;
}

const RETRY_MS = 500;

/** Follows a stream until its notice `done`, or until it is aborted. Throws ProblemError if it is refused. */
export async function follow<Line extends StreamLine>(following: Following<Line>): Promise<void> {
  let { after } = following;
  const { signal, onLines } = following;
  let isOver = false;
  const receive = (lines: readonly Line[]) => {
    const fresh = lines.filter(({ seq }) => seq === undefined || seq > after);
    for (const { seq, event, after: before } of fresh) {
      if (seq !== undefined) after = seq;
      else if (event === 'resync' && before !== undefined) after = before;
      if (event === 'done') isOver = true;
    }
    if (fresh.length > 0) onLines(fresh);
  };
  while (!isOver && !signal.aborted) {
    const isComplete = await readOnce(following.path, after, signal, receive);
    if (isComplete) return;
    await untilServerIsUp();
    if (!isOver && !signal.aborted) await new Promise((resolve) => setTimeout(resolve, RETRY_MS));
  }
}

/** Reads a stream until it ends or breaks off. Returns whether the caller has all of its events already. */
async function readOnce<Line extends StreamLine>(
  path: string,
  after: number,
  signal: AbortSignal,
  receive: (lines: readonly Line[]) => void,
): Promise<boolean> {
  try {
    const headers: Record<string, string> = { Accept: 'application/jsonl' };
    if (after >= 0) headers['Last-Event-ID'] = String(after);
    const response = await fetchFromServer(path, { headers, signal });
    if (response.status === 204) return true;
    if (!response.ok || response.body === null) {
      const problem = await problemFrom(response);
      if (response.status === 503 || response.status === 429) return false;
      throw new ProblemError(problem);
    }
    await readLines(response.body, receive);
    return false;
  } catch (error) {
    if (error instanceof ProblemError) throw error;
    if (signal.aborted) return true;
    // The connection broke off while the body was read, or there is none.
    if (error instanceof LostServerError || error instanceof TypeError) return false;
    throw error;
  }
}

async function readLines<Line>(
  body: ReadableStream<Uint8Array<ArrayBuffer>>,
  receive: (lines: readonly Line[]) => void,
): Promise<void> {
  const reader = body.pipeThrough(new TextDecoderStream()).getReader();
  let rest = '';
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return;
    const pieces = (rest + value).split('\n');
    rest = pieces.pop() ?? '';
    // The contract gives every line of the stream this type.
    const lines = pieces.filter((line) => line !== '').map((line) => JSON.parse(line) as Line);
    if (lines.length > 0) receive(lines);
  }
}
