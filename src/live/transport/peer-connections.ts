/**
 * @module
 * The connections of a node to its peers: one is kept for each. The first request over it is one of the HTTP client of Node.
 * The messages then have it, so that the first message does not wait for a connection.
 */

import type { Agent, AgentOptions, ClientRequest, RequestOptions } from 'node:http';
import type { Duplex } from 'node:stream';
import type { Rank } from '../../election/machine.ts';
import type { Peer } from '../peers.ts';
import type { OnEnd } from './message-line.ts';
import { MessageLine } from './message-line.ts';

/** What starts a request to a member. */
export interface Asked {
  request(peer: Peer, path: string, options: RequestOptions): ClientRequest;
}

/** Posts messages: the next one to a peer when the one before has ended. */
export interface Posting {
  post(peer: Peer, body: string, onEnd: OnEnd): void;
}

interface Connecting {
  /** What makes the connections to a peer. */
  readonly agentOf: (peer: Peer, pool: AgentOptions) => Agent;
  readonly request: (url: string, options: RequestOptions) => ClientRequest;
}

/** The connections to a peer. */
interface Kept {
  readonly agent: Agent;
  readonly line: MessageLine;
}

const POOL = { keepAlive: true, maxSockets: 1 };

export class PeerConnections implements Asked, Posting {
  readonly #connecting: Connecting;
  readonly #kept = new Map<Rank, Kept>();

  constructor(connecting: Connecting) {
    this.#connecting = connecting;
  }

  /** Requests over connections of their own. */
  readonly once: Asked = {
    request: (peer, path, options) => {
      const agent = this.#connecting.agentOf(peer, {});
      return this.#connecting.request(`${peer.url}${path}`, { ...options, agent });
    },
  };

  request(peer: Peer, path: string, options: RequestOptions): ClientRequest {
    const { agent } = this.#keptOf(peer);
    return this.#connecting.request(`${peer.url}${path}`, { ...options, agent });
  }

  post(peer: Peer, body: string, onEnd: OnEnd): void {
    this.#keptOf(peer).line.post(body, onEnd);
  }

  close(): void {
    for (const { agent, line } of this.#kept.values()) {
      line.close();
      agent.destroy();
    }
  }

  #keptOf(peer: Peer): Kept {
    const before = this.#kept.get(peer.rank);
    if (before !== undefined) return before;
    const agent = this.#connecting.agentOf(peer, POOL);
    const kept = { agent, line: lineOver(agent, peer) };
    this.#kept.set(peer.rank, kept);
    return kept;
  }
}

/** The messages to a peer, over a connection that a request has left, or over a new one. */
function lineOver(agent: Agent, { url }: Peer): MessageLine {
  const { hostname, port, host } = new URL(url);
  const takeIdle = idleOf(agent);
  // A URL has brackets around an IPv6 address. `net` takes the address without them.
  const address = { host: hostname.replace(/^\[|\]$/g, ''), port, noDelay: true };
  return new MessageLine(host, (settle) => {
    const idle = takeIdle();
    if (idle !== null) return settle(idle);
    let isSettled = false;
    const settleOnce = (socket: Duplex | null) => {
      if (!isSettled) settle(socket);
      isSettled = true;
    };
    const socket = agent.createConnection(address, (error, connected) => {
      // Without TLS it is called without arguments.
      if (error !== undefined) settleOnce(error === null ? connected : null);
    });
    // Without TLS it is returned before it has connected.
    socket?.once('connect', () => settleOnce(socket));
    socket?.once('error', () => settleOnce(null));
  });
}

/** Takes the connection that no request uses from an agent; null if there is none. */
function idleOf(agent: Agent): () => Duplex | null {
  let idle: Duplex | null = null;
  const keep = agent.keepSocketAlive.bind(agent);
  const reuse = agent.reuseSocket.bind(agent);
  agent.keepSocketAlive = (socket) => {
    idle = socket;
    // Its type does not state that it returns whether the agent keeps the connection.
    return keep(socket);
  };
  agent.reuseSocket = (socket, request) => {
    idle = null;
    reuse(socket, request);
  };
  return () => {
    const socket = idle;
    idle = null;
    if (socket === null || socket.destroyed) return null;
    // The event by which an agent gives a connection away.
    socket.emit('agentRemove');
    return socket;
  };
}
