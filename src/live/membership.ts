/**
 * @module
 * The members that a live node knows, and how a node joins: it presents its address and its claim, signed for this
 * election. Every node checks signature and claim by the policy before its machine learns of the newcomer. Who
 * shows the presentation does not matter, so that members pass on those that they know.
 */

import { BlockList, isIP, isIPv6 } from 'node:net';

import { z } from 'zod';

import { bytesToHex } from '../bytes.ts';
import type { Keys } from '../election/authentication/authenticated.ts';
import type { Rank, Self } from '../election/machine.ts';
import { fromRank } from '../election/world/cast.ts';
import { LabError } from '../errors.ts';
import { claimToJson, parseClaim } from '../identity/claim.ts';
import { schemeOf } from '../identity/keys/scheme.ts';
import { messageBytes } from '../identity/message.ts';
import { signatureRulesOf } from '../identity/policy.ts';
import { plainVerifier } from '../runtime/openssl/plain-verifier.ts';
import type { LiveProtocol } from './live-machine.ts';
import { liveCast } from './live-machine.ts';
import type { NodeLog } from './node-log.ts';
import type { Entry, Network, Peer } from './peers.ts';
import { entrySchema, isTls, PEERS_MAX, rankOf, withMember } from './peers.ts';
import { payingAddress } from './transport/work-budget.ts';

/** Addresses of the own machine. */
const OWN = new BlockList();
OWN.addSubnet('127.0.0.0', 8);
OWN.addSubnet('0.0.0.0', 8);
OWN.addSubnet('::', 127, 'ipv6');

/**
 * What can be wrong with the address of a newcomer. Only the first can change while it waits. The addresses at which
 * nodes can join. All members send to the address of a newcomer, so that no two may reach the same member: its owner
 * would pay for what is meant for others.
 */
export const ADDRESS_FAULTS = ['silent', 'known', 'taken', 'host', 'tls'] as const;
type AddressFault = (typeof ADDRESS_FAULTS)[number];

/** Each with what to do. */
const ADDRESS_REASONS: Readonly<Record<AddressFault, string>> = {
  silent: 'it does not answer there at its address; give one that the members reach with --listen',
  known: 'it is known with another address; give that one with --listen, or join with a new key',
  taken: 'its address is that of another member; give another one with --listen',
  host: 'the host of its address is neither the IP address of another machine nor the host of a founder; give such an address with --listen',
  tls: 'only one side speaks TLS, it or the members; give it the peers file of the members',
};

/**
 * Why a member can have this address in another spelling; null if none can. Names can be made that resolve to any member, and
 * each machine has many addresses of its own. Those that the peers file has are few.
 */
export function addressFault(
  url: string,
  peers: readonly Pick<Peer, 'url' | 'isFounder'>[],
): AddressFault | null {
  const { host, port } = endpointOf(url);
  const isDirect = isIP(host) !== 0 && !OWN.check(host, isIPv6(host) ? 'ipv6' : 'ipv4');
  const atHost = peers
    .map(({ url: other, isFounder }) => ({ ...endpointOf(other), isFounder }))
    .filter((other) => other.host === host);
  if (!isDirect && !atHost.some(({ isFounder }) => isFounder)) return 'host';
  return atHost.every((other) => other.port !== port) ? null : 'taken';
}

/** The host of an address in one spelling. */
function hostOf(url: string): string {
  return endpointOf(url).host;
}

/** The host in one spelling, and the port; empty if it is the standard one. */
function endpointOf(url: string): { readonly host: string; readonly port: string } {
  const { hostname, port } = new URL(url);
  const host = hostname.replace(/^\[|\]$/g, '');
  const [, high, low] = /^::ffff:([0-9a-f]{1,4}):([0-9a-f]{1,4})$/.exec(host) ?? [];
  if (high === undefined || low === undefined) return { host: host.replace(/\.$/, ''), port };
  const bytes = [high, low].flatMap((group) => {
    const value = Number.parseInt(group, 16);
    return [value >> 8, value & 0xff];
  });
  return { host: bytes.join('.'), port };
}

/** What a node that joins presents: its entry, signed. */
export const presentationSchema = entrySchema.extend({
  signature: z.string().regex(/^[0-9a-f]{128}$/, 'must be a signature of 64 bytes in hex'),
});
export type Presentation = z.output<typeof presentationSchema>;

/** Why a newcomer is refused: its claim, its signature, its address, or too many members. */
export const ADMISSION_REFUSALS = ['claim', 'signature', 'address', 'full'] as const;
export type AdmissionRefusal = (typeof ADMISSION_REFUSALS)[number];

/** A refusal of a newcomer, with what is wrong with its address if that is the reason. */
export interface Refused {
  readonly refusal: AdmissionRefusal;
  readonly fault?: AddressFault | undefined;
}

const REASONS: Readonly<Record<AdmissionRefusal, string>> = {
  claim: 'the policy does not admit its claim',
  signature: 'its signature is wrong',
  // Other programs state no fault.
  address: Object.values(ADDRESS_REASONS).join(', or '),
  full: 'there are as many members as there can be',
};

/** Why a newcomer is refused, in words. */
export function refusalText({ refusal, fault }: Refused): string {
  return fault === undefined ? REASONS[refusal] : ADDRESS_REASONS[fault];
}

/** What became of a member that an earlier life of the node had admitted and this one does not, with what to do. */
function dropText({ url, claim }: Presentation, refused: Refused): string {
  const who = `the member at ${url} with the node ID ${claim.nodeId}`;
  return `this node no longer takes ${who} for a member: ${refusalText(refused)}, and a new key, since others know the old address`;
}

/** The presentation of an entry, with the signature of its key. */
export function presentationOf(
  { url, claim }: Entry,
  election: string,
  sign: Keys['sign'],
): Presentation {
  return { url, claim: claimToJson(claim), signature: sign(joinText(election, url)) };
}

function joinText(election: string, url: string): string {
  return JSON.stringify(['usurp/join/v1', election, url]);
}

/** The members of an election as one node knows them. */
export class Membership {
  readonly #live: LiveProtocol;
  readonly #log: NodeLog;
  readonly #presented: Presentation[] = [];
  /** Warnings of members of earlier lives that are not admitted any more. */
  readonly warnings: readonly string[];
  #network: Network;
  #addresses: { readonly of: Network; readonly all: ReadonlySet<string> } | null = null;

  /** With the founders, and with those that an earlier life has admitted. */
  constructor(live: LiveProtocol, founders: Network, log: NodeLog) {
    this.#live = live;
    this.#log = log;
    this.#network = founders;
    this.warnings = log.joined.flatMap((member) => {
      const presentation = presentationSchema.parse(JSON.parse(member));
      const admitted = this.admit(presentation);
      const isRefused = admitted !== null && 'refusal' in admitted;
      return isRefused ? dropText(presentation, admitted) : [];
    });
  }

  get network(): Network {
    return this.#network;
  }

  /** The addresses of the members that pay for their connections, without those that have names. */
  get addresses(): ReadonlySet<string> {
    if (this.#addresses?.of !== this.#network) {
      const hosts = this.#network.peers.map(({ url }) => hostOf(url));
      const all = new Set(hosts.filter((host) => isIP(host) !== 0).map(payingAddress));
      this.#addresses = { of: this.#network, all };
    }
    return this.#addresses.all;
  }

  /** Whether the members speak TLS with each other. */
  get isTls(): boolean {
    return this.#network.peers.some(({ url }) => isTls(url));
  }

  /** What the members that joined have presented. */
  get presented(): readonly Presentation[] {
    return this.#presented;
  }

  peer(rank: unknown): Peer | null {
    return this.#network.peers.find((peer) => peer.rank === rank) ?? null;
  }

  /** What the machine of a member knows of itself now. */
  selfOf(rank: Rank): Self {
    const { peers } = this.#network;
    const position = this.peer(rank)?.position ?? 0;
    const self = liveCast(this.#live, this.#network).selfOf(position);
    const liveOf = (each: Rank): Rank => {
      const peer = peers[fromRank(each) - 1];
      if (peer === undefined) throw new RangeError(`"rank" expected a member, got ${each}`);
      return peer.rank;
    };
    return {
      ...self,
      rank,
      members: self.members.map(liveOf),
      founders: self.founders.map(liveOf),
      successors: self.successors.map(liveOf),
      predecessor: liveOf(self.predecessor),
      links: self.links && { ...self.links, neighbours: self.links.neighbours.map(liveOf) },
    };
  }

  /** Whether the claim of a presentation is that of a member. */
  knows({ claim }: Presentation): boolean {
    return this.peer(rankOf(parseClaim(claim), this.#network.policy)) !== null;
  }

  /** The new member, null of one that was known, or why it is refused. */
  admit(presentation: Presentation): Peer | Refused | null {
    const examined = this.examine(presentation);
    if (examined === null || 'refusal' in examined) return examined;
    const { network, newcomer } = examined;
    this.#network = network;
    this.#presented.push(presentation);
    this.#log.noteJoined(String(newcomer.rank), JSON.stringify(presentation));
    return newcomer;
  }

  /** What would become of a presentation that is admitted: the network with the new member. Cheap checks come first. */
  examine(
    presentation: Presentation,
  ): { readonly network: Network; readonly newcomer: Peer } | Refused | null {
    const { url, signature } = presentation;
    const { election, policy, peers } = this.#network;
    const claim = parseClaim(presentation.claim);
    const { scheme, publicKey } = claim;
    const { verify } = schemeOf(scheme);
    const text = messageBytes(joinText(election, url));
    const bytes = Buffer.from(signature, 'hex');
    const rank = rankOf(claim, policy);
    const known = this.peer(rank);
    const isKnown = known !== null && bytesToHex(known.claim.publicKey) === bytesToHex(publicKey);
    if (isKnown && known.url === url) return null;
    const fault = isKnown ? 'known' : this.#faultOf(url);
    if (fault !== null) return { refusal: 'address', fault };
    if (peers.length >= PEERS_MAX) return { refusal: 'full' };
    if (!verify(publicKey, text, bytes, signatureRulesOf(policy), plainVerifier))
      return { refusal: 'signature' };
    try {
      const network = withMember(this.#network, { url, claim });
      const newcomer = network.peers.find((peer) => peer.rank === rank);
      return newcomer === undefined ? { refusal: 'claim' } : { network, newcomer };
    } catch (error) {
      if (!(error instanceof LabError)) throw error;
      return { refusal: 'claim' };
    }
  }

  #faultOf(url: string): AddressFault | null {
    return isTls(url) === this.isTls ? addressFault(url, this.#network.peers) : 'tls';
  }
}
