/**
 * @module
 * What native code does on one core, as constants: an adversary need not use JavaScript. They were measured once, and
 * are no measurement of the machine that prints them.
 */

/**
 * Ed25519 with the formulas of the kernel, and SHA-256 by the SHA instructions of the processor, four messages side by
 * side: `bench/native/candidates.c`, compiled by gcc 12 -O3 -march=native, on one core of an AMD EPYC (Zen 4), in
 * turns with the kernel of usurp in WebAssembly. mkp224o with such a double hash added makes 3.7 million keys/s, because its
 * formulas take more multiplications.
 */
export const NATIVE_CORE = {
  label: 'constant, not measured here',
  source: 'C with SHA-NI on one core of an AMD EPYC (Zen 4), bench/native/candidates.c',
  /** SHA-256(SHA-256(32 bytes)), without making keys. */
  doubleHashesPerSecond: 34.5e6,
  /** Keys made and tested under the strict policy. */
  keysPerSecond: 16e6,
  /** The same as it is written in a document or a command. */
  rate: '16e6',
  /** The same over the rate of the kernel on the same core. */
  keysOverKernel: 2.4,
} as const;
