/**
 * @module
 * The work for a request with an Idempotency-Key. A store writes the key in the same transaction as the
 * effect of the request, so that neither exists without the other.
 */

/** The parts of a request that must be equal when it is repeated. */
export interface KeyedRequest {
  readonly caller: string;
  readonly key: string;
  /** Digest of method, path and body. */
  readonly fingerprint: string;
}

/** The effect of a request, and the status of its answer. */
export interface Effect {
  readonly status: number;
  /** Path at which the effect can be read. */
  readonly resource: string;
}

export interface KeyedWork {
  readonly request: KeyedRequest;
  /** Whether its effect is stored with its key. */
  isClaimed: boolean;
  /** Whether the request was answered. Effects after that do not belong to it. */
  isOver: boolean;
}
