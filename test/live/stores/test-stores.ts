/**
 * @module
 * The stores of the tests: the modelled one, and each real one that is installed. A test gets an election of its own.
 */

import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import process from 'node:process';
import type { ResourceKind } from '../../../src/election/lease/stores/resource.ts';
import type { Message, Rank } from '../../../src/election/machine.ts';
import type { ProtocolName } from '../../../src/election/registry.ts';
import { startWatchdog } from '../../../src/live/cluster/watchdog.ts';
import type { LiveStore } from '../../../src/live/stores/live-store.ts';
import type { StoreKind } from '../../../src/live/stores/open-store.ts';
import { openStore, STORE_KINDS, STORE_PROTOCOLS } from '../../../src/live/stores/open-store.ts';
import type { OwnStore } from '../../../src/live/stores/own-store.ts';
import { isStoreInstalled, startOwnStore } from '../../../src/live/stores/own-store.ts';
import { createModelledStore } from './modelled-store.ts';

export const TIMING = { latencyTicksMax: 10 };

const installed = STORE_KINDS.filter(isStoreInstalled);
for (const kind of STORE_KINDS) {
  if (!installed.includes(kind)) {
    process.stderr.write(`${kind} is not installed: its tests are skipped\n`);
  }
}
export const TESTED = ['modelled', ...installed] as const;
export type TestedStore = (typeof TESTED)[number];

/** The stores that serve a protocol. */
export function storesFor(protocol: ProtocolName): TestedStore[] {
  return TESTED.filter((name) => name === 'modelled' || STORE_PROTOCOLS[name].includes(protocol));
}

/** A client of a store. */
export interface Client {
  readonly own: Rank;
  readonly store: LiveStore;
  /** Messages that answered no operation, in their order. */
  readonly notices: Message[];
  /** The message that answers; null without one. */
  ask(operation: Message & { readonly [member: string]: unknown }): Promise<Message | null>;
}

/** What the tests of a file share. The real stores are started when they are first used. */
export function createTestStores() {
  const folder = mkdtempSync(join(tmpdir(), 'usurp-stores-'));
  const watchdog = startWatchdog(folder);
  const servers = new Map<StoreKind, Promise<OwnStore>>();
  const closing: (() => unknown)[] = [];
  let elections = 0;
  const serverOf = (kind: StoreKind) => {
    const known = servers.get(kind) ?? startOwnStore(kind, folder, watchdog);
    servers.set(kind, known);
    return known;
  };
  return {
    serverOf,
    /** Clients with the ranks `1a`, `2a`, … in an election of their own. `address` replaces that of the store. */
    async clients(
      name: TestedStore,
      count: number,
      use: { readonly protocol: ProtocolName; readonly resource?: ResourceKind },
      address?: string,
    ): Promise<Client[]> {
      elections += 1;
      const { protocol, resource = null } = use;
      const shared = { protocol, resource, timing: TIMING, election: `test-${elections}` };
      const modelled = name === 'modelled' ? createModelledStore(shared) : null;
      const location = name === 'modelled' ? '' : (address ?? (await serverOf(name)).address);
      const made: Client[] = [];
      for (let index = 1; index <= count; index += 1) {
        const notices: Message[] = [];
        // A rank of a live node is hex.
        const own = `${index}a` as string as Rank;
        const whole = { ...shared, own, onNotice: (value: Message) => void notices.push(value) };
        const store = modelled?.open(whole) ?? (await openStore(location, whole));
        closing.push(() => store.close());
        const ask: Client['ask'] = async (operation) =>
          (await store.call(operation))?.value ?? null;
        made.push({ own, store, notices, ask });
      }
      if (modelled !== null) closing.push(() => modelled.close());
      return made;
    },
    async close() {
      for (const close of closing) await close();
      for (const server of servers.values()) await server.then((each) => each.close());
      await watchdog.close();
    },
  };
}
