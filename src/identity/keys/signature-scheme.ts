/**
 * @module
 * The contract of a signature scheme, which ed25519.ts and secp256k1.ts implement. Signing is for the owner of
 * a secret and throws on an invalid one. Decoding and verifying are for data from other nodes and never throw.
 * Signatures of both schemes have 64 bytes, R ‖ S (RFC 8032) or r ‖ s (IEEE P1363).
 */

/** Every scheme, in the order of lists. */
export const SCHEME_NAMES = ['ed25519', 'secp256k1'] as const;
export type SchemeName = (typeof SCHEME_NAMES)[number];

/** Bytes of a signature in both schemes. */
export const SIGNATURE_BYTES = 64;

/**
 * What a node signs with. It is never printed and never part of a claim. `seed`: the RFC 8032 seed of Ed25519,
 * or the big-endian scalar in 1..n−1 of secp256k1. `scalar`: the little-endian scalar in 1..L−1 of an Ed25519
 * key that no seed hashes to, because it was found by a walk on the curve. `torsion-scalar`: such a scalar,
 * then one byte, the index 0..7 of the torsion point that is added to its key.
 */
export interface Secret {
  readonly form: 'seed' | 'scalar' | 'torsion-scalar';
  readonly bytes: Uint8Array;
}

/** A public key that decodes to a point of the curve, in any encoding. */
export interface KeyFacts {
  /** Whether the encoding is the canonical one, so that its hash is the only node ID of this point. */
  readonly canonical: boolean;
  /** Whether the point is one for which anyone can sign. */
  isSmallOrder(): boolean;
  /** Whether the point is in the subgroup of prime order. A function because it costs a multiplication. */
  isTorsionFree(): boolean;
}

/** How a signature is verified. */
export interface SignatureRules {
  /**
   * Ed25519: true refuses a small-order key and non-canonical encodings of key and R (RFC 8032 section 5.1.7),
   * false accepts what ZIP-215 accepts. secp256k1: true accepts compressed keys only.
   */
  readonly strict: boolean;
  /** secp256k1: refuse s > n/2, the second signature that anyone can make from a first. */
  readonly lowS: boolean;
}

/**
 * Other code for the plain equation of a scheme, such as OpenSSL, which is faster than noble. Ed25519: whether the
 * encoding of [S]B − [k]A is R, byte for byte, and S < L. secp256k1: ECDSA over SHA-256. It is asked only about keys
 * with the length of their scheme, and about signatures of 64 bytes. Null if it cannot read the key. A scheme uses an
 * answer only where it decides the rules of `verify`.
 */
export type PlainVerifier = (
  scheme: SchemeName,
  signed: {
    readonly publicKey: Uint8Array;
    readonly message: Uint8Array;
    readonly signature: Uint8Array;
  },
) => boolean | null;

/** Other code for the public key of an Ed25519 seed, such as OpenSSL, which is faster than noble. */
export type SeedKey = (seed: Uint8Array) => Uint8Array;

export interface Scheme {
  readonly name: SchemeName;
  /** Bytes of a canonical public key. */
  readonly publicKeyBytes: 32 | 33;
  /** 1 if the group has prime order, so that every point is torsion free and none has small order. */
  readonly cofactor: 1 | 8;
  /** Whether these bytes are a secret of the form `seed`. */
  isSeed(bytes: Uint8Array): boolean;
  /**
   * The secret of a key with a known scalar, 1..order−1. `torsion` is 0..cofactor−1, the index of the torsion
   * point that is added to the key.
   */
  secretOfScalar(scalar: bigint, torsion: number): Secret;
  /** The canonical public key. Throws on an invalid secret. */
  publicKeyOf(secret: Secret): Uint8Array;
  /**
   * 64 bytes, the same for the same arguments. Throws on an invalid secret. A public key must be that of the secret,
   * because signatures with another key reveal the secret. `keyOfSeed` makes no difference but in time.
   */
  sign(
    secret: Secret,
    message: Uint8Array,
    publicKey?: Uint8Array,
    keyOfSeed?: SeedKey,
  ): Uint8Array;
  /** The point of a key, decoded leniently. Null if there is none. Never throws. */
  decode(publicKey: Uint8Array): KeyFacts | null;
  /**
   * Whether the signature is valid. False for anything malformed. Never throws. The answer is the same with and
   * without a plain verifier.
   */
  verify(
    publicKey: Uint8Array,
    message: Uint8Array,
    signature: Uint8Array,
    rules: SignatureRules,
    plain?: PlainVerifier | null,
  ): boolean;
}
