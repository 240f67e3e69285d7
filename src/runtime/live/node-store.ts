/**
 * @module
 * The store of a live node: operations go to it and answers come back, unless the link between them loses them.
 */

import type { Message } from '../../election/machine.ts';
import type { StoreUse } from '../stores/live-store.ts';
import { openStore } from '../stores/open-store.ts';
import type { StoreMark } from './node-record.ts';

/** What the store of a node needs from it. */
interface NodeStoreHooks {
  /** Receives a message of the store. */
  readonly answer: (value: Message, mark: StoreMark | null) => void;
  /** Whether one message between node and store passes. Each call is about another message. */
  readonly passes: () => boolean;
}

interface NodeStore {
  call(operation: Message, id: number): void;
  close(): Promise<void>;
}

/** Connects to the store at an address. Operations without a store have no effect. Throws as `openStore`. */
export async function openNodeStore(
  address: string | null,
  use: Omit<StoreUse, 'onNotice'>,
  { answer, passes }: NodeStoreHooks,
): Promise<NodeStore> {
  let isClosed = false;
  const canPass = () => !isClosed && passes();
  const onNotice = (value: Message) => {
    if (canPass()) answer(value, null);
  };
  const store = address === null ? null : await openStore(address, { ...use, onNotice });
  return {
    call(operation, id) {
      if (!canPass()) return;
      void store?.call(operation).then((answered) => {
        if (answered !== null && canPass()) answer(answered.value, { call: id, ...answered.mark });
      });
    },
    async close() {
      isClosed = true;
      await store?.close();
    },
  };
}
