/**
 * @module
 * `usurp conform --url`: tests a node of any program against the peer protocol, and prints the deviations.
 */

import { randomBytes } from 'node:crypto';
import { LabError } from '../../errors.ts';
import { testPeer } from '../../live/peer-protocol/peer-checks.ts';
import type { Peer } from '../../live/peers.ts';
import { PEERS_BYTES_MAX, parsePeers } from '../../live/peers.ts';
import { printableLine } from '../../printable.ts';
import type { FiledKey } from '../../runtime/files/key-file.ts';
import { KEY_FILE_BYTES_MAX, parseKeyFile } from '../../runtime/files/key-file.ts';
import type { Finding } from '../../simulation/conform/finding.ts';
import { shortened } from '../../simulation/trace/describe.ts';
import type { ExitCode } from '../shell/exit.ts';
import { EXIT } from '../shell/exit.ts';
import { assertPrivate, readText } from '../shell/files.ts';
import { textColumns } from '../shell/layout.ts';
import type { OutputOptions } from '../shell/options.ts';
import { wantsJson } from '../shell/options.ts';
import type { Terminal } from '../shell/terminal.ts';

/** Levels at which there is something to test. */
export const TESTED_LEVELS = ['L2', 'L3'] as const;

export interface NodeTestOptions extends OutputOptions {
  readonly peers?: string;
  readonly identity: readonly string[];
  readonly level: (typeof TESTED_LEVELS)[number];
  /** In seconds. */
  readonly latency: number;
  readonly wait: number;
}

const DETAIL_CHARACTERS_MAX = 2_000;

/** A detail has texts of the tested node, which must not control the terminal. */
function shownDetail({ detail }: Finding): string {
  return shortened(printableLine(detail), DETAIL_CHARACTERS_MAX);
}

/** Tests the node at this address. */
export async function reportNode(
  url: string,
  options: NodeTestOptions,
  terminal: Terminal,
): Promise<ExitCode> {
  const { peers, identity, level, latency, wait } = options;
  if (peers === undefined)
    throw new LabError(
      'arguments',
      '--url needs --peers with the addresses and claims of three nodes',
    );
  const network = parsePeers(await readText(peers, terminal, PEERS_BYTES_MAX));
  const keys: FiledKey[] = [];
  for (const file of identity) {
    await assertPrivate(file);
    keys.push(...parseKeyFile(await readText(file, terminal, KEY_FILE_BYTES_MAX)).keys);
  }
  const { signal } = terminal;
  const { node, findings, down } = await testPeer({
    url,
    network,
    keys,
    level,
    signal,
    stranger: { form: 'seed', bytes: randomBytes(32) },
    latencyMs: Math.max(1, Math.round(latency * 1000)),
    patienceMs: wait * 1000,
  });
  if (down !== null) {
    if (signal.aborted) return EXIT.interrupted;
    return reportDown({ node, down, peers }, options, terminal);
  }
  const conforms = findings.every(({ holds }) => holds);
  const shown = findings.map((finding) => ({ ...finding, detail: shownDetail(finding) }));
  const rows = shown.map(({ check, holds, detail }) => [
    holds ? 'holds' : 'FAILS',
    `${check}: ${detail}`,
  ]);
  terminal.print(
    wantsJson(options)
      ? `${JSON.stringify([{ node: node.url, conforms, findings: shown }])}\n`
      : `node ${node.position} at ${node.url} ${conforms ? 'conforms' : 'does not conform'}\n${textColumns(rows)}`,
  );
  if (signal.aborted) return EXIT.interrupted;
  return conforms ? EXIT.holds : EXIT.violated;
}

/** Says that no program listens where the node should be. Whether it conforms is not known. */
function reportDown(
  { node, down, peers }: { readonly node: Peer; readonly down: string; readonly peers: string },
  options: OutputOptions,
  terminal: Terminal,
): ExitCode {
  const { url, position } = node;
  if (wantsJson(options)) {
    terminal.print(`${JSON.stringify([{ node: url, conforms: null, findings: [] }])}\n`);
  }
  terminal.complain(
    `usurp: nothing was tested: node ${position} does not run at ${url}: ${down}; start it with its key and ${printableLine(peers)}, and test it again`,
  );
  return EXIT.unknown;
}
