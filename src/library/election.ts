/**
 * @module
 * `usurp/election`: the protocols, and files with definitions of your own.
 */

/** A protocol that usurp knows. docs/protocols.md describes all of them. */
export interface ProtocolFacts {
  readonly name: string;
  /** Whether the highest rank wins, as in `bully`, `ring`, `quorum` and `lease`. */
  readonly family: string;
  /** What a network and its nodes must do for the protocol. */
  readonly assumes: string;
  /** Largest number of messages of one election, as a formula of n nodes. */
  readonly messageBound: string;
  /** The paper or the program that it is from. */
  readonly source: string;
}

/**
 * Loads TypeScript files that define protocols, behaviours, defences, detectors, properties or operations, as `--load` does
 * (docs/load.md). Call it once, before the first question: later the lists of names are closed. Throws a Refusal that
 * names the file, and where it is known, the line. Returns the names that the files define.
 */
export async function load(...files: readonly string[]): Promise<readonly string[]> {
  const { loadDefinitions } = await import('../runtime/load/load-definitions.ts');
  const loaded = await loadDefinitions(files);
  return loaded.flatMap(({ definitions }) => definitions.map(({ name }) => name));
}

/** All protocols, those of loaded files last. */
export async function protocols(): Promise<readonly ProtocolFacts[]> {
  const { PROTOCOL_NAMES, PROTOCOLS } = await import('../election/registry.ts');
  return PROTOCOL_NAMES.map((name) => {
    const { family, assumes, messageBound, source } = PROTOCOLS[name];
    return { name, family, assumes, messageBound, source };
  });
}
