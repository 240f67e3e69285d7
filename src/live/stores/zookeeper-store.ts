/**
 * @module
 * ZooKeeper as a store: a session for zk-recipe, and cells that are znodes, whose version setData compares. Cells have a
 * connection of their own, because a resource is another service: the end of an election's session does not close it.
 * Sessions end on ZooKeeper's clock, which counts in its ticks and rounds up.
 */

import { zkRecipeSettings } from '../../election/lease/zk-recipe.ts';
import { LabError } from '../../errors.ts';
import type { Cells } from './cells.ts';
import { cellServices } from './cells.ts';
import type { LiveStore, StoreUse } from './live-store.ts';
import { onceReady, StoreAway, storeOfServices } from './live-store.ts';
import type { ServerAddress } from './wire.ts';
import { Reconnecting } from './wire.ts';
import type { ZookeeperReply } from './zookeeper-link.ts';
import { bytesOf, createRequest, FAULT, MODE, OPERATION, ZookeeperLink } from './zookeeper-link.ts';
import { ZookeeperSession } from './zookeeper-session.ts';

/** Times of the connection that reads and writes cells. No lease depends on its session. */
const CELL_TIMES = { timeoutMs: 60_000, answerMs: 2_000 };
const NO_DATA = Buffer.alloc(0);

/** Connects. Throws LabError `storage.unavailable` if no ZooKeeper answers, `arguments` if its sessions are too short. */
export async function openZookeeperStore(
  address: ServerAddress,
  use: StoreUse,
): Promise<LiveStore> {
  const root = `/usurp/${use.election}`;
  const cells = new CellLink(address);
  const { sessionTicks } = zkRecipeSettings(use.timing);
  try {
    for (const path of ['/usurp', root, `${root}/sessions`, `${root}/nodes`]) {
      const request = createRequest(path, NO_DATA, MODE.persistent);
      await onceReady(() => cells.request(OPERATION.create, request));
    }
    if (use.protocol === 'zk-recipe') await onceReady(() => assertSessions(address, sessionTicks));
  } catch (error) {
    cells.close();
    if (!(error instanceof StoreAway)) throw error;
    const { host, port } = address;
    const detail = `no ZooKeeper can be used at ${host}:${port} (${error.message}); start one, or correct the address`;
    throw new LabError('storage.unavailable', detail);
  }
  const services = cellServices(cellsAt(cells, root, address), use);
  const { own, onNotice } = use;
  const session = new ZookeeperSession({
    address,
    root,
    own,
    sessionMs: sessionTicks,
    onNotice,
    async lastWrite() {
      const { zxid } = await cells.request(OPERATION.getData, bytesOf(root, false));
      return zxid;
    },
  });
  if (use.protocol === 'zk-recipe') services.push(session);
  return storeOfServices(services, use, async () => {
    session.close();
    cells.close();
  });
}

/** A leader counts its lease by the session that it asks for. A longer one only delays its successor. */
async function assertSessions(address: ServerAddress, sessionMs: number): Promise<void> {
  const times = { timeoutMs: sessionMs, answerMs: CELL_TIMES.answerMs };
  const link = await ZookeeperLink.open(address, null, times, () => undefined);
  const given = link?.session.timeoutMs ?? 0;
  link?.close();
  if (given >= sessionMs) return;
  const detail = `this ZooKeeper shortens sessions of ${sessionMs} ms to ${given} ms; raise its maxSessionTimeout, or choose a shorter --latency`;
  throw new LabError('arguments', detail);
}

/** The connection of the cells. */
class CellLink {
  readonly #links: Reconnecting<ZookeeperLink>;

  constructor(address: ServerAddress) {
    this.#links = new Reconnecting(async () => {
      const link = await ZookeeperLink.open(address, null, CELL_TIMES, () => undefined);
      if (link === null) throw new StoreAway('ZooKeeper gave no session');
      return link;
    });
  }

  async request(operation: number, body: Buffer): Promise<ZookeeperReply> {
    const link = await this.#links.link();
    return link.request(operation, body);
  }

  close(): void {
    this.#links.close();
  }
}

function cellsAt(cells: CellLink, root: string, { host, port }: ServerAddress): Cells {
  return {
    where: (name) => `${root}/${name} in ZooKeeper at ${host}:${port}`,
    raises: false,
    async read(name) {
      const { zxid, fault, body } = await cells.request(
        OPERATION.getData,
        bytesOf(`${root}/${name}`, false),
      );
      if (fault === FAULT.noNode) return { text: null, version: 0, revision: zxid };
      if (fault !== FAULT.none) throw new StoreAway(`ZooKeeper answers ${fault}`);
      const text = body.text();
      return { text, version: body.version() + 1, revision: zxid };
    },
    async swap(name, version, text) {
      const path = `${root}/${name}`;
      const data = Buffer.from(text);
      const { zxid, fault } =
        version === 0
          ? await cells.request(OPERATION.create, createRequest(path, data, MODE.persistent))
          : await cells.request(OPERATION.setData, bytesOf(path, data, version - 1));
      if (fault === FAULT.none) return zxid;
      if (fault === FAULT.badVersion || fault === FAULT.nodeExists) return null;
      throw new StoreAway(`ZooKeeper answers ${fault}`);
    },
  };
}
