/**
 * @module
 * A fault of the server itself: the caller is told an id and nothing else; who serves is told all.
 */

export interface ServerFault {
  /** The request, or the run, that met it. */
  readonly id: string;
  readonly error: unknown;
}

export type OnFault = (fault: ServerFault) => void;
