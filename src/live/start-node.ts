/**
 * @module
 * Starts one live node in this process: its log, its address, its keys and its machine. A node that starts for the first
 * time waits a moment until its peers answer, because messages to a process that does not listen yet are lost.
 */

import type { RequestListener, Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { performance } from 'node:perf_hooks';
import process from 'node:process';
import { setTimeout as delay } from 'node:timers/promises';

import { z } from 'zod';

import type { Keys, Level } from '../election/authentication/authenticated.ts';
import { clientsText } from '../election/clients/client-form.ts';
import { CLIENT_MESSAGES } from '../election/clients/clients.ts';
import { flagsText } from '../election/definition/flags.ts';
import type { DetectorSpec } from '../election/detectors/registry.ts';
import { detectorText } from '../election/detectors/registry.ts';
import type { Message, Rank } from '../election/machine.ts';
import { PROTOCOLS } from '../election/registry.ts';
import { LabError } from '../errors.ts';
import { parseClaim } from '../identity/claim.ts';
import { signatureRulesOf } from '../identity/policy.ts';
import type { FiledKey } from '../runtime/files/key-file.ts';
import { publicKeyOf } from '../runtime/openssl/plain-key.ts';
import { signingKeys } from '../runtime/openssl/signing-keys.ts';
import { workloadText } from '../simulation/plan/workload.ts';
import type { CrashPoint } from './crash-points.ts';
import type { Entrance } from './entrance.ts';
import { createEntrance } from './entrance.ts';
import { differenceText, gather, otherIdentityText, othersOf } from './gather.ts';
import type { LiveProtocol } from './live-machine.ts';
import { assertLive, flagsOf } from './live-machine.ts';
import { LiveNode } from './live-node.ts';
import type { Presentation, Refused } from './membership.ts';
import { Membership, presentationOf, refusalText } from './membership.ts';
import type { ServedNode } from './node-api.ts';
import type { NodeLog } from './node-log.ts';
import { openNodeLog } from './node-log.ts';
import type { LiveRecord, StoreMark } from './node-record.ts';
import { STORE_RANK } from './node-record.ts';
import { peerListener, takeAnswer } from './peer-api.ts';
import type { Network, Peer } from './peers.ts';
import { isTls, peerOf, rankOf } from './peers.ts';
import type { StoreUse } from './stores/live-store.ts';
import { openStore } from './stores/open-store.ts';
import { Connections } from './transport/connections.ts';
import { threadCpuMs } from './transport/handshake.ts';
import { Links } from './transport/links.ts';
import { createOutbox, sendingFrom } from './transport/outbox.ts';
import type { Asked } from './transport/peer-connections.ts';
import { Replies } from './transport/replies.ts';
import type { Transport } from './transport/transport.ts';
import { ask, plainTransport, tlsTransport } from './transport/transport.ts';
import { budgetsFor } from './transport/work-budget.ts';
import { holdsWithin } from './waiting.ts';

export interface NodeSettings extends LiveProtocol {
  /** The members of the peers file. */
  readonly network: Network;
  readonly key: FiledKey;
  readonly level: Level;
  readonly detector: DetectorSpec;
  readonly behaviours: readonly string[];
  /** Where to listen; the address of the peers file by default. */
  readonly listen: Address | null;
  /** Whether to ask the members to be admitted, if the key is not in the peers file. */
  readonly joins: boolean;
  readonly data: string;
  readonly amnesia: boolean;
  /** How long the first life waits for its peers, in ms. */
  readonly gatherMs: number;
  /** Where it dies after it has begun; it lives on if absent. */
  readonly dieAt?: CrashPoint | undefined;
}

export interface Address {
  readonly host: string;
  readonly port: number;
}

export interface RunningNode {
  readonly url: string;
  /** Where the peers file lists it, if it listens elsewhere, at a port that the system has chosen; null otherwise. */
  readonly listedAt: string | null;
  readonly rank: Rank;
  /** The position of the node among the members that it knows now. */
  position(): number;
  /** Whether an earlier life was found on disk. */
  readonly isBack: boolean;
  /** Which messages it loses. The rank of the store is `STORE_RANK`. */
  readonly links: Links;
  /** What a controller changes of it: its clock, the members, and where it dies. `answer` takes questions of clients. */
  readonly driven: Pick<LiveNode, 'skew' | 'jump' | 'leave' | 'dieAt' | 'answer'>;
  /** Messages that it has refused, by reason. */
  refused(): Readonly<Record<string, number>>;
  /** Refused messages that the machine has not seen, by reason. */
  unseen(): Readonly<Record<string, number>>;
  close(): Promise<void>;
}

/** What a node reports to its process. */
export interface NodeEvents {
  /** The node follows another leader, or none. `position` is that of the leader. */
  readonly onLeader: (leader: Rank | null, epoch: number, position: number | null) => void;
  readonly onRecord: (record: LiveRecord) => void;
  /** The node has a message for clients. */
  readonly onClient?: ((message: Message) => void) | undefined;
  /** A peer has another identity or other settings, so that they do not elect together. */
  readonly onWarning?: (text: string) => void;
  /** The positions of the peers that have not answered a node that starts for the first time. */
  readonly onUnmet?: (positions: readonly number[]) => void;
  /** The peers have answered a node that starts for the first time. It begins when this resolves, or its time to gather is over. */
  readonly onGathered?: () => Promise<void>;
}

/** Resolves when the node has begun. Throws LabError `arguments`, `claim.refused` and `file.unreadable`. */
export async function startNode(
  settings: NodeSettings,
  events: NodeEvents,
  signal: AbortSignal,
): Promise<RunningNode> {
  const { network: founders, key, protocol, timing, defences, level } = settings;
  assertLive(settings, level);
  assertHonest(settings);
  const founder = peerOf(founders, publicKeyOf(key.scheme, key.secret));
  const asked = settings.listen ?? (founder === null ? null : addressOf(founder));
  if (asked === null || (founder === null && !settings.joins)) throw notListed(settings);
  const claim = parseClaim(key.claim);
  const rank = founder?.rank ?? rankOf(claim, founders.policy);
  const { election } = founders;
  const log = openNodeLog(settings.data, {
    rank: String(rank),
    protocol,
    election,
    latency: timing.latencyTicksMax,
    level,
    detector: watchOf(settings),
    defences,
    behaviours: settings.behaviours,
    workload: settings.workload ? workloadText(settings.workload) : null,
    ...(settings.flags ? { flags: flagsText(settings.flags) } : {}),
    ...(settings.clients ? { clients: clientsText(settings.clients) } : {}),
  });
  const membership = new Membership(settings, founders, log);
  for (const warning of membership.warnings) events.onWarning?.(warning);
  const keysOf = keysIn(membership, key, rank);
  const transport = membership.isTls
    ? tlsTransport(rank, membership, keysOf(rank), (peer) =>
        events.onWarning?.(otherIdentityText(peer)),
      )
    : plainTransport();
  const server = transport.createServer();
  const membersAt = () => membership.addresses;
  const connections = new Connections(transport, { now, cpuMs: threadCpuMs, membersAt });
  connections.limit(server);
  const serve = answeringLater(server, connections);
  try {
    // Members refuse a second address of a node that has joined.
    const address = { ...asked, port: asked.port === 0 ? (log.port ?? 0) : asked.port };
    const url = await listenAt(server, address, membership.isTls ? 'https' : 'http');
    if (address.port === 0) log.notePort(Number(new URL(url).port));
    const own =
      founder === null ? presentationOf({ url, claim }, election, keysOf(rank).sign) : null;
    if (own !== null) assertAdmitted(membership.admit(own));
    const isListed = asked.port !== 0 || founder === null || founders.peers.length === 1;
    const listedAt = isListed || founder.url === url ? null : founder.url;
    const parts = { settings, events, signal, rank, log, server, serve, transport, connections };
    return await running({ ...parts, url, listedAt, membership, keysOf, own });
  } catch (error) {
    connections.close();
    await new Promise((resolve) => server.close(resolve));
    log.close();
    throw error;
  }
}

const now = () => performance.now();

/** Requests that arrive before the node can answer wait until the function that this returns gets their listener. */
function answeringLater(
  server: Server,
  connections: Connections,
): (listener: RequestListener) => void {
  const { promise, resolve } = Promise.withResolvers<RequestListener>();
  const answer: RequestListener = (incoming, outgoing) => {
    void promise.then((listener) => listener(incoming, outgoing));
  };
  const listener = connections.oneByOne(answer);
  server.on('request', listener);
  // Without it, Node itself answers all requests that expect anything but 100-continue.
  server.on('checkExpectation', listener);
  return resolve;
}

/** Loads the answers to newcomers and observers at the first request for them. */
function loadedLater(served: ServedNode): RequestListener {
  let loading: Promise<RequestListener> | null = null;
  return (incoming, outgoing) => {
    loading ??= import('./node-api.ts').then(({ nodeListener }) => nodeListener(served));
    loading.then(
      (listener) => listener(incoming, outgoing),
      // Its file is gone.
      () => incoming.socket.destroy(),
    );
  };
}

/** What a node consists of. */
interface Parts {
  readonly settings: NodeSettings;
  readonly events: NodeEvents;
  readonly signal: AbortSignal;
  readonly rank: Rank;
  readonly log: NodeLog;
  readonly server: Server;
  /** Answers requests from now on. */
  readonly serve: (listener: RequestListener) => void;
  readonly transport: Transport;
  readonly connections: Connections;
  readonly url: string;
  readonly listedAt: string | null;
  readonly membership: Membership;
  readonly keysOf: (rank: Rank) => Keys;
  /** What it presents to be admitted; null of a founder. */
  readonly own: Presentation | null;
}

async function running(parts: Parts): Promise<RunningNode> {
  const { settings, events, rank, log, server, serve, transport, ...known } = parts;
  const { membership, keysOf, own, url, listedAt, connections } = known;
  const { protocol, timing, level } = settings;
  const links = new Links(rank, log.lives + 1);
  const replies = new Replies();
  const outbox = createOutbox(transport, {
    onRefused: (refusing) => entrance?.askAgain(refusing),
    onAnswer: (peer, body) => takeAnswer({ node, links }, peer, body),
    now,
  });
  const { election } = membership.network;
  const plan = { ...settings, election, rank, provesSenders: membership.isTls };
  const node = new LiveNode(plan, membership.selfOf(rank), log, {
    keysOf,
    send: sendingFrom({ rank, membership, links, outbox, replies }),
    call: (operation, id) => calls.call(operation, id),
    onLeader: (leader, epoch) =>
      events.onLeader(leader, epoch, membership.peer(leader)?.position ?? null),
    onRecord: events.onRecord,
    die: () => process.kill(process.pid, 'SIGKILL'),
  });
  const { warnings, onWarning } = firstWarnings(events);
  const calls = await openOwnStore({ ...parts, onWarning }, node, links);
  const admit = admissionBy({ rank, membership, transport, node, links });
  const isBack = log.lives > 0;
  const joining = { rank, membership, transport, links, admit, now };
  const entrance = own && createEntrance(own, { ...joining, onRefused: events.onWarning });
  let hasBegun = isBack;
  const budgets = budgetsFor((each) => membership.peer(each)?.isFounder === true, now);
  const about = { protocol, level, latencyMs: timing.latencyTicksMax, detector: watchOf(settings) };
  const shown = { node, rank, membership, log, about, warnings, hasBegun: () => hasBegun };
  const served = { ...shown, onNewcomer: admit, connections, budgets, outbox };
  if (isBack) node.begin(settings.amnesia);
  serve(peerListener({ ...shown, connections, links, replies, budgets }, loadedLater(served)));
  const end = () => {
    node.close();
    entrance?.close();
    outbox.close();
    transport.close();
    connections.close();
  };
  const close = async () => {
    node.close();
    await calls.close();
    end();
    await new Promise((resolve) => server.close(resolve));
    log.close();
  };
  try {
    if (!isBack) await beginFirst(parts, node, entrance);
    hasBegun = true;
  } catch (error) {
    end();
    await calls.close();
    throw error;
  }
  return {
    url,
    listedAt,
    rank,
    isBack,
    links,
    close,
    position: () => membership.peer(rank)?.position ?? 0,
    driven: node,
    refused: () => node.refused,
    unseen: () => node.unseen,
  };
}

/** Connects the node with the store of its protocol, and with clients. */
function openOwnStore(
  { rank, settings, events, membership, log, onWarning }: Parts & Pick<StoreUse, 'onWarning'>,
  node: LiveNode,
  links: Links,
) {
  const { protocol, timing, workload, store = null, amnesia } = settings;
  const { election } = membership.network;
  const resource = workload?.resource ?? null;
  const remembered = amnesia ? [] : log.answers();
  const flags = flagsOf(settings);
  const use = { own: rank, election, protocol, timing, flags, resource, onWarning, remembered };
  return openNodeStore(store, use, {
    answer: (value, mark) => node.answer(value, mark),
    toClients: events.onClient,
    passes: () => links.passes(STORE_RANK),
    arrives: () => links.arrives(STORE_RANK),
  });
}

/** The detector of a node; null if it watches no other, because its protocol has a store. */
function watchOf({ protocol, detector }: Pick<NodeSettings, 'protocol' | 'detector'>) {
  return PROTOCOLS[protocol].store === null ? detectorText(detector) : null;
}

/** Warnings about the store of one life. Who writes to a store could cause many. */
const STORE_WARNINGS_MAX = 8;

/** Notes warnings about a store, and passes the first ones on. */
function firstWarnings({ onWarning }: NodeEvents) {
  const warnings: string[] = [];
  return {
    warnings,
    onWarning(text: string) {
      if (warnings.length >= STORE_WARNINGS_MAX) return;
      warnings.push(text);
      onWarning?.(text);
    },
  };
}

/** How long the members take to answer a newcomer, in ms. */
const CONNECT_MS_MAX = 1_000;

/** Warns if a peer differs from this node by its answer. */
function compareSettings(
  { settings, events, membership }: Parts,
  peer: Peer,
  answer: unknown,
): void {
  const { protocol, level, timing } = settings;
  const { election } = membership.network;
  const own = { protocol, level, election, latencyMs: timing.latencyTicksMax };
  const text = differenceText(peer, own, answer);
  if (text !== null) events.onWarning?.(text);
}

/** Begins when the peers answer, or have admitted the node. */
async function beginFirst(parts: Parts, node: LiveNode, entrance: Entrance | null): Promise<void> {
  const { settings, events, signal, transport, membership, rank: own } = parts;
  const { gatherMs: waitMs } = settings;
  const deadline = now() + waitMs;
  const gathered = (within: number) => {
    const others = othersOf(own, membership.network.peers);
    const onAnswer = (peer: Peer, answer: unknown) => compareSettings(parts, peer, answer);
    return gather(others, transport, { waitMs: within, signal, onAnswer, onUnmet: events.onUnmet });
  };
  if (entrance === null) await gathered(waitMs);
  else if (!(await entrance.admittedWithin(waitMs, signal)) && !signal.aborted)
    events.onWarning?.('no member has answered; it begins alone, and asks them each second');
  const leftMs = deadline - now();
  if (entrance === null && leftMs > 0 && events.onGathered !== undefined) {
    const late = delay(leftMs, undefined, { ref: false });
    await Promise.race([events.onGathered(), late]);
  }
  if (!signal.aborted) node.begin(false);
  // A newcomer does not wait for answers: it begins when it is admitted.
  if (entrance !== null) void gathered(CONNECT_MS_MAX);
}

/** The model cannot repeat what a store answers to operations that no machine of it makes. */
function assertHonest({ store = null, behaviours }: NodeSettings): void {
  if (store === null || behaviours.length === 0) return;
  throw new LabError(
    'arguments',
    'a Byzantine node cannot use a store; leave out --behaviour or --store',
  );
}

/** Checks the node itself. This comes first, so that a node whose claim the policy refuses sends nothing. */
function assertAdmitted(admitted: ReturnType<Membership['admit']>): void {
  if (admitted === null || !('refusal' in admitted)) return;
  const detail = `this node cannot join: ${refusalText(admitted)}`;
  throw new LabError('claim.refused', detail);
}

/** The keys by which a node signs and verifies; the own secret is the only one that it has. */
function keysIn(membership: Membership, key: FiledKey, own: Rank): (rank: Rank) => Keys {
  const { scheme, secret } = key;
  const ownKey = { scheme, secret, publicKey: publicKeyOf(scheme, secret) };
  return signingKeys((rank) => {
    if (rank === own) return ownKey;
    const claim = membership.peer(rank)?.claim;
    return claim === undefined ? null : { ...claim, secret: null };
  }, signatureRulesOf(membership.network.policy));
}

function notListed({ key, joins }: NodeSettings): LabError {
  const detail = joins
    ? 'a node that joins needs --listen with its address'
    : `the key ${key.claim.publicKey} is of no peer; make the peers file with its entry (usurp cluster peers), or join with --join`;
  return new LabError('arguments', detail);
}

/** Where a founder listens by its address in the peers file. */
function addressOf({ url }: Peer): Address {
  const { hostname, port } = new URL(url);
  const standard = isTls(url) ? 443 : 80;
  // A URL leaves out the standard port.
  return { host: hostname.replace(/^\[|\]$/g, ''), port: port === '' ? standard : Number(port) };
}

const LISTEN_FAULTS: Readonly<Record<string, string>> = {
  EADDRINUSE: 'another program listens there; stop it, or give the node another address',
  EADDRNOTAVAIL: 'this machine has no such address; give the address that it has with --listen',
};

async function listenAt(
  server: Server,
  { host, port }: Address,
  scheme: 'http' | 'https',
): Promise<string> {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  server.once('error', reject).listen({ host, port }, resolve);
  try {
    await promise;
  } catch (cause) {
    const code = cause instanceof Error && 'code' in cause ? String(cause.code) : 'unknown cause';
    const why = LISTEN_FAULTS[code] ?? code;
    throw new LabError('arguments', `cannot listen on ${host} port ${port}: ${why}`);
  }
  // A TCP server has an address with a port.
  const bound = server.address() as AddressInfo;
  return `${scheme}://${host.includes(':') ? `[${host}]` : host}:${bound.port}`;
}

/** How long a newcomer takes to answer, in ms. It gives up its request after twice this time. */
const ANSWER_MS_MAX = 1_000;

const answerSchema = z.object({ rank: z.string() });

interface Admitting {
  readonly rank: Peer['rank'];
  readonly membership: Membership;
  readonly transport: Transport;
  readonly node: LiveNode;
  readonly links: Links;
}

/**
 * How a node admits another one, or says why not. Its machine learns of one that is new. How a member admits a node
 * that presents itself. An identity costs nothing if the policy demands no work, and members that do not exist would
 * take the majority from those that do. A newcomer must therefore answer at its address first.
 */
function admissionBy({ rank, membership, transport, node, links }: Admitting) {
  const answers = async (peer: Peer, over: Asked): Promise<boolean> => {
    if (!links.connects(peer.rank)) return false;
    const answer = await ask(over, peer, '/status', { waitMs: ANSWER_MS_MAX });
    const given = answerSchema.safeParse(answer);
    return given.success && given.data.rank === String(peer.rank);
  };
  const admit = (presentation: Presentation): Refused | null => {
    const admitted = membership.admit(presentation);
    if (admitted === null || 'refusal' in admitted) return admitted;
    node.join(admitted.rank, membership.selfOf(rank));
    return null;
  };
  /** Admits one that presents itself, or that a member has named: a member can name nodes that do not exist. */
  return async (presentation: Presentation): Promise<Refused | null> => {
    const examined = membership.examine(presentation);
    if (examined === null || 'refusal' in examined) return examined;
    const { newcomer } = examined;
    if (!(await answers(newcomer, transport.once))) return { refusal: 'address', fault: 'silent' };
    const refused = admit(presentation);
    // Opens the connection for messages, so that the first ones are no later than the others.
    if (refused === null) await answers(newcomer, transport);
    return refused;
  };
}

/** What the store of a node needs from it. */
interface NodeStoreHooks {
  /** Receives a message of the store. */
  readonly answer: (value: Message, mark: StoreMark | null) => void;
  /** Receives messages for clients, which a machine calls like a store. */
  readonly toClients?: NodeEvents['onClient'] | undefined;
  /** Whether one message to the store passes. Each call is about another message. */
  readonly passes: () => boolean;
  /** The same of one from the store. */
  readonly arrives: () => boolean;
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
  { answer, toClients, passes, arrives }: NodeStoreHooks,
): Promise<NodeStore> {
  let isClosing = false;
  let isClosed = false;
  let open = 0;
  const canArrive = () => !isClosed && arrives();
  const onNotice = (value: Message) => {
    if (canArrive()) answer(value, null);
  };
  const store = address === null ? null : await openStore(address, { ...use, onNotice });
  return {
    call(operation, id) {
      if (CLIENT_MESSAGES.includes(operation.type)) return toClients?.(operation);
      if (isClosing || !passes()) return;
      open += 1;
      void store?.call(operation).then((answered) => {
        open -= 1;
        if (answered !== null && canArrive())
          answer(answered.value, { call: id, ...answered.mark });
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
