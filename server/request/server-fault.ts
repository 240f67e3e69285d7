/**
 * @module
 * A fault of the server itself. The caller receives only its id, the operator receives the error.
 */

export interface ServerFault {
  /** Id of the request, job or election in which it occurred. */
  readonly id: string;
  readonly error: unknown;
}

export type OnFault = (fault: ServerFault) => void;
