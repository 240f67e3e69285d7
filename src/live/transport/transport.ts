/**
 * @module
 * This folder carries messages between live nodes. This file makes their connections: plain HTTP, or TLS 1.3 in which
 * both sides show a certificate of their identity. A connection to a node with another identity than the expected one is closed before anything is sent.
 */

import type { KeyObject, X509Certificate } from 'node:crypto';
import { generateKeyPairSync, hash, randomBytes, sign } from 'node:crypto';
import type { Agent as HttpAgent, Server } from 'node:http';
import https from 'node:https';
import { connect as connectBelow } from 'node:net';
import { performance } from 'node:perf_hooks';
import process from 'node:process';
import type { Duplex } from 'node:stream';
import type { ConnectionOptions } from 'node:tls';
import { connect, createSecureContext, TLSSocket } from 'node:tls';

import type { Keys } from '../../election/authentication/authenticated.ts';
import type { Rank } from '../../election/machine.ts';
import type { Policy } from '../../identity/policy.ts';
import { signatureRulesOf } from '../../identity/policy.ts';
import { signingKeys } from '../../runtime/openssl/signing-keys.ts';
import type { Membership } from '../membership.ts';
import type { Peer } from '../peers.ts';
import { isTls, PEERS_MAX } from '../peers.ts';
import { parseExchanged, readBounded } from './bounded-json.ts';
import { Handshake, threadCpuMs } from './handshake.ts';
import type { Asked, Posting } from './peer-connections.ts';
import { PeerConnections } from './peer-connections.ts';
import { Buckets } from './work-budget.ts';

/** An import of it would read its member WebSocket, and so load the implementation of fetch: 8 MB that no node uses. */
const { Agent, createServer, request } = process.getBuiltinModule('node:http');

/** How long the system of a peer takes to accept a connection. */
const CONNECT_MS_MAX = 1_000;
/**
 * Silence of a peer after which the handshake of TLS is given up. When many nodes start on one machine, each waits for a
 * processor again and again. If they gave up sooner and tried again, no handshake would end.
 */
export const HANDSHAKE_MS_MAX = 10_000;
/** Small keys alone, so that a handshake has few bytes and takes little time. */
const TLS = {
  minVersion: 'TLSv1.3',
  ecdhCurve: 'X25519:P-256',
  sigalgs: 'ecdsa_secp256r1_sha256',
  // Without one, OpenSSL refuses clients that resume a session.
  sessionIdContext: 'usurp',
} as const;
/** CPU time of handshakes with one peer, in ms. If it has used up more, a connection to it is closed. */
const HANDSHAKE_MS = { most: 100, perSecond: 20 };
/** CPU time of reading the answers of a peer over TLS, in ms. An answer takes 0.1. */
const READING_MS = { most: 500, perSecond: 250 };
/**
 * The answer to a newcomer is longest: what all other members have presented, with 10 values of each. A state has a value for
 * each member that the node suspects.
 */
const ANSWERS = {
  '/peers': { bytes: 1024 * 1024, values: 16 * PEERS_MAX },
  '/status': { bytes: 64 * 1024, values: 2 * PEERS_MAX },
} as const;
/** How long a server waits for a client: peers send a request in one piece, but this process can be busy meanwhile. */
const SERVED = {
  headersTimeout: 2_000,
  requestTimeout: 5_000,
  connectionsCheckingInterval: 500,
  keepAliveTimeout: 60_000,
  maxHeaderSize: 8 * 1024,
  // Node would answer all requests without a host at once, and free of points.
  requireHostHeader: false,
};

export interface Transport extends Asked, Posting {
  /** Requests over a connection of their own, also to a node that is no member yet. */
  readonly once: Asked;
  /** A server to which connections are given when they are secured. */
  createServer(): Server;
  /** The server's side of TLS over the bytes below it. It emits `secure` when the handshake is over. Null without TLS. */
  readonly secure: ((below: Duplex) => TLSSocket) | null;
  /** The member at the other end of a connection; null if it has not shown that it is one. Undefined without TLS. */
  identityOf(socket: Duplex): Rank | null | undefined;
  close(): void;
}

/** Connections that prove nothing. */
export function plainTransport(): Transport {
  const connections = new PeerConnections({
    agentOf: (_peer, pool) => new Agent(pool),
    request,
  });
  return {
    createServer: () => createServer(SERVED),
    secure: null,
    request: (peer, path, options) => connections.request(peer, path, options),
    once: connections.once,
    post: (peer, body, onEnd) => connections.post(peer, body, onEnd),
    identityOf: () => undefined,
    close: () => connections.close(),
  };
}

/** Connections in which both sides prove their identities. The first time that a peer shows another one, `onOther` is called. */
export function tlsTransport(
  rank: Rank,
  membership: Membership,
  keys: Keys,
  onOther: (peer: Peer) => void,
): Transport {
  const { election, policy } = membership.network;
  const certified = { election, epoch: policy.epoch };
  const own = certify(certified, rank, keys.sign);
  const checks = {
    memberOf: (name: string) => membership.peer(name)?.rank ?? null,
    verify: keys.verify,
  };
  const tls = { ...own, ...TLS };
  // Made once: reading key and certificate takes five times the rest of a connection that is refused.
  const secured = { secureContext: createSecureContext(tls), rejectUnauthorized: false };
  /** Peers that have shown another identity. */
  const others = new Set<Rank>();
  /** With the number of members at that time: a connection can become that of a member later. */
  const known = new WeakMap<Duplex, { readonly identity: Rank | null; readonly members: number }>();
  const identify = (socket: TLSSocket, by: Parameters<typeof certifierOf>[2]): Rank | null => {
    const shown = socket.getPeerX509Certificate();
    return shown === undefined ? null : certifierOf(shown, certified, by);
  };
  const connections = tlsConnections(secured, (peer, socket) => {
    const isPeer = identify(socket, checksOf(peer, policy)) === peer.rank;
    // One that was not admitted can present any address.
    if (isPeer || others.has(peer.rank) || membership.peer(peer.rank) === null) return isPeer;
    others.add(peer.rank);
    onOther(peer);
    return false;
  });
  return {
    createServer: () => createServer(SERVED),
    secure: (below) => new TLSSocket(below, { ...secured, isServer: true, requestCert: true }),
    request: (peer, path, options) => connections.request(peer, path, options),
    once: connections.once,
    post: (peer, body, onEnd) => connections.post(peer, body, onEnd),
    identityOf(socket) {
      const before = known.get(socket);
      const members = membership.network.peers.length;
      if (before !== undefined && (before.identity !== null || before.members === members))
        return before.identity;
      const identity = socket instanceof TLSSocket ? identify(socket, checks) : null;
      known.set(socket, { identity, members });
      return identity;
    },
    close: () => connections.close(),
  };
}

/** Connections of an observer, which shows no identity, demands none, and is as careful as a node. */
export function observingTransport(): Asked & Pick<Transport, 'close'> {
  const plain = plainTransport();
  const secured = { secureContext: createSecureContext(TLS), rejectUnauthorized: false };
  const tls = tlsConnections(secured, () => true);
  return {
    request: (peer, path, options) => (isTls(peer.url) ? tls : plain).request(peer, path, options),
    close() {
      plain.close();
      tls.close();
    },
  };
}

/** Connections over TLS, with a bound on the CPU time of the handshakes with a peer. */
function tlsConnections(
  secured: ConnectionOptions,
  isExpected: (peer: Peer, socket: TLSSocket) => boolean,
): PeerConnections {
  const handshakes = new Buckets(HANDSHAKE_MS, () => performance.now());
  const readings = new Buckets(READING_MS, () => performance.now());
  return new PeerConnections({
    agentOf(peer, pool) {
      const agent = new https.Agent(pool);
      const isPeer = (socket: TLSSocket) => isExpected(peer, socket);
      agent.createConnection = connector(peer, {
        secured,
        handshakes,
        readings,
        isExpected: isPeer,
      });
      return agent;
    },
    request: https.request,
  });
}

interface Connecting {
  readonly secured: ConnectionOptions;
  /** The CPU time of handshakes with each peer. */
  readonly handshakes: Buckets;
  /** The CPU time of what is read after them. */
  readonly readings: Buckets;
  /** Whether the other side is the one that it should be. */
  readonly isExpected: (socket: TLSSocket) => boolean;
}

/** Connects to a peer. A handshake that takes too long, or too much CPU time, is given up. */
function connector(
  { rank }: Peer,
  { secured, handshakes, readings, isExpected }: Connecting,
): HttpAgent['createConnection'] {
  return (options, callback) => {
    const within = (account: Buckets) => (read: () => void) => {
      if (!account.take(String(rank), 0)) {
        below.destroy();
        return;
      }
      const before = threadCpuMs();
      read();
      account.owe(String(rank), threadCpuMs() - before);
    };
    const bare = connectBelow({
      host: options.host ?? '',
      port: Number(options.port),
      noDelay: true,
    });
    const below = new Handshake(bare, within(handshakes));
    const socket = connect({ ...secured, socket: below });
    let isSettled = false;
    const settle = (error: Error | null) => {
      if (!isSettled) callback?.(error, socket);
      isSettled = true;
    };
    socket.setTimeout(CONNECT_MS_MAX, () => socket.destroy(new Error('no handshake')));
    // A process that is paused answers no handshake before it is resumed.
    bare.once('connect', () => socket.setTimeout(HANDSHAKE_MS_MAX));
    socket.once('error', settle);
    socket.once('close', () => settle(new Error('closed')));
    socket.once('secureConnect', () => {
      below.complete(within(readings));
      socket.setTimeout(0);
      if (isExpected(socket)) settle(null);
      else socket.destroy(new Error('another identity'));
    });
    return undefined;
  };
}

/** By its own claim, since a newcomer is no member yet. */
function checksOf({ rank, claim }: Peer, policy: Policy): Parameters<typeof certifierOf>[2] {
  const keysOf = signingKeys(() => ({ ...claim, secret: null }), signatureRulesOf(policy));
  return { memberOf: (name) => (name === String(rank) ? rank : null), verify: keysOf(rank).verify };
}

/** Sends a JSON body, or none, and reads the answer. Null if there is none in time, or it is too long or no JSON. */
export function ask(
  transport: Asked,
  peer: Peer,
  path: keyof typeof ANSWERS,
  { body = null, waitMs }: { readonly body?: string | null; readonly waitMs: number },
): Promise<unknown> {
  const { promise, resolve } = Promise.withResolvers<unknown>();
  const method = body === null ? 'GET' : 'POST';
  const headers = body === null ? {} : { 'content-type': 'application/json' };
  const signal = AbortSignal.timeout(waitMs);
  // A request that waits for a connection does not fail before it has one.
  signal.addEventListener('abort', () => resolve(null));
  const outgoing = transport.request(peer, path, { method, headers, signal });
  outgoing.on('error', () => resolve(null));
  // Status 101 closes it without an error.
  outgoing.once('close', () => resolve(null));
  outgoing.once('response', (answer) => {
    const { bytes, values } = ANSWERS[path];
    const read = readBounded(answer, bytes).then((text) => {
      if (text === null) outgoing.destroy();
      return text === null ? null : (parseExchanged(text, values) ?? null);
    });
    resolve(read.catch(() => null));
  });
  outgoing.end(body ?? undefined);
  return promise;
}

/**
 * What a certificate is for. The certificates of live nodes. A mined key is a bare scalar, which TLS libraries
 * cannot load. Each process therefore makes an ephemeral key of its own and a certificate for it (X.509, RFC 5280),
 * in which its identity signs the fingerprint of that key with election and epoch. The signature is in a URI of the
 * certificate, as in SPIFFE. A signature by another identity, for another key or for another election is refused.
 */
interface CertifiedElection {
  readonly election: string;
  /** The epoch of the network's challenge. */
  readonly epoch: number;
}

interface Certified {
  /** Both PEM. */
  readonly key: string;
  readonly cert: string;
}

/** A new key, certified by the identity with this rank. */
export function certify(
  election: CertifiedElection,
  rank: Rank,
  signText: Keys['sign'],
): Certified {
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const spki = publicKey.export({ type: 'spki', format: 'der' });
  const uri = `usurp://${rank}/${signText(fingerprintText(election, spki))}`;
  return {
    key: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
    cert: pemOf(certificateOf(spki, uri, privateKey)),
  };
}

/** The rank whose identity has certified the key of this certificate; null if none of the members has. */
function certifierOf(
  certificate: X509Certificate,
  election: CertifiedElection,
  {
    memberOf,
    verify,
  }: { readonly memberOf: (rank: string) => Rank | null; readonly verify: Keys['verify'] },
): Rank | null {
  const [, name = '', signature = ''] =
    /^URI:usurp:\/\/([0-9a-f]{1,128})\/([0-9a-f]{128})$/.exec(certificate.subjectAltName ?? '') ??
    [];
  const rank = memberOf(name);
  if (rank === null) return null;
  const spki = certificate.publicKey.export({ type: 'spki', format: 'der' });
  return verify(rank, fingerprintText(election, spki), signature) ? rank : null;
}

function fingerprintText({ election, epoch }: CertifiedElection, spki: Uint8Array): string {
  return JSON.stringify(['usurp/tls/v1', election, epoch, hash('sha256', spki)]);
}

const SEQUENCE = 0x30;
const SET = 0x31;
const ECDSA_WITH_SHA256 = Buffer.from('06082a8648ce3d040302', 'hex');
const COMMON_NAME = Buffer.from('0603550403', 'hex');
const SUBJECT_ALT_NAME = Buffer.from('0603551d11', 'hex');

/** A self-signed certificate without an end (RFC 5280 section 4.1.2.5). */
function certificateOf(spki: Uint8Array, uri: string, key: KeyObject): Buffer {
  const signedWith = der(SEQUENCE, ECDSA_WITH_SHA256);
  const name = der(
    SEQUENCE,
    der(SET, der(SEQUENCE, COMMON_NAME, der(0x0c, Buffer.from('usurp live node')))),
  );
  const validity = der(
    SEQUENCE,
    der(0x17, Buffer.from('700101000000Z')),
    der(0x18, Buffer.from('99991231235959Z')),
  );
  const names = der(SEQUENCE, der(0x86, Buffer.from(uri)));
  const extension = der(SEQUENCE, SUBJECT_ALT_NAME, der(0x04, names));
  const signed = der(
    SEQUENCE,
    der(0xa0, der(0x02, Buffer.from([2]))),
    // Positive, whatever is drawn.
    der(0x02, Buffer.from([1]), randomBytes(8)),
    signedWith,
    name,
    validity,
    name,
    spki,
    der(0xa3, der(SEQUENCE, extension)),
  );
  const signature = sign('sha256', signed, key);
  return der(SEQUENCE, signed, signedWith, der(0x03, Buffer.from([0]), signature));
}

/** An element in DER (X.690 section 8.1). */
function der(tag: number, ...contents: readonly Uint8Array[]): Buffer {
  const content = Buffer.concat(contents);
  const { length } = content;
  if (length < 0x80) return Buffer.concat([Buffer.from([tag, length]), content]);
  const hex = length.toString(16);
  const digits = Buffer.from(hex.length % 2 === 0 ? hex : `0${hex}`, 'hex');
  return Buffer.concat([Buffer.from([tag, 0x80 | digits.length]), digits, content]);
}

function pemOf(certificate: Buffer): string {
  const lines = certificate.toString('base64').match(/.{1,64}/g) ?? [];
  return ['-----BEGIN CERTIFICATE-----', ...lines, '-----END CERTIFICATE-----', ''].join('\n');
}
