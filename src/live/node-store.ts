/**
 * @module
 * The store of a live node: operations go to it and answers come back, unless the link between them loses them.
 */

import type { Message } from '../election/machine.ts';
import type { StoreMark } from './node-record.ts';
import type { StoreUse } from './stores/live-store.ts';
import { openStore } from './stores/open-store.ts';
import { holdsWithin } from './waiting.ts';

/** What the store of a node needs from it. */
interface NodeStoreHooks {
  /** Receives a message of the store. */
  readonly answer: (value: Message, mark: StoreMark | null) => void;
  /** Whether one message between node and store passes. Each call is about another message. */
  readonly passes: () => boolean;
}

interface NodeStore {
  call(operation: Message, id: number): void;
  /** Begins no operation any more, and closes when those that are open have their answers, or after a second. */
  close(): Promise<void>;
}

/** A store that does not answer delays the end of a node by this time. */
const CLOSE_MS_MAX = 1_000;

/** Connects to the store at an address. Operations without a store have no effect. Throws as `openStore`. */
export async function openNodeStore(
  address: string | null,
  use: Omit<StoreUse, 'onNotice'>,
  { answer, passes }: NodeStoreHooks,
): Promise<NodeStore> {
  let isClosing = false;
  let isClosed = false;
  let open = 0;
  const canPass = () => !isClosed && passes();
  const onNotice = (value: Message) => {
    if (canPass()) answer(value, null);
  };
  const store = address === null ? null : await openStore(address, { ...use, onNotice });
  return {
    call(operation, id) {
      if (isClosing || !canPass()) return;
      open += 1;
      void store?.call(operation).then((answered) => {
        open -= 1;
        if (answered !== null && canPass()) answer(answered.value, { call: id, ...answered.mark });
      });
    },
    async close() {
      isClosing = true;
      if (store !== null) await holdsWithin(() => open === 0, { waitMs: CLOSE_MS_MAX });
      isClosed = true;
      await store?.close();
    },
  };
}
