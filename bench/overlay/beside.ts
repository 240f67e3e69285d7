/**
 * @module
 * Another simulator as the yardstick of lookups, such as PeerSim with a module for Kademlia. `npm run bench -- overlay
 * --beside '<command>'` starts the command once in each round, with the path of a file as its last argument. The file contains
 * the topology and the lookups. It has a line with the ID of each node in hex, then a line with the contacts of each node, then
 * a line `<node> <key>` for each lookup. Nodes are numbered from 0. The last line that the command prints is
 * `<n> messages, <s> CPU s`: the messages that it carried, and the CPU seconds since the first lookup began.
 */

import { spawnSync } from 'node:child_process';
import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { drawKey } from '../../src/overlay/network.ts';
import type { Built } from '../../src/overlay/study.ts';
import { createRandom, parseSeed } from '../../src/random.ts';
import type { Yardstick } from '../measure.ts';

const RESULT = /(\d+) messages, (\d+(?:\.\d+)?) CPU s/;

/** The simulator that the command starts, with lookups of random keys from random nodes of the network. */
export function besideOf(command: string, built: Built, lookups: number): Yardstick {
  const file = join(mkdtempSync(join(tmpdir(), 'usurp-overlay-')), 'overlay.txt');
  writeFileSync(file, `${linesOf(built, lookups).join('\n')}\n`);
  const [program = '', ...words] = command.split(' ');
  return {
    name: program,
    unit: 'messages',
    rates() {
      const { stdout, stderr } = spawnSync(program, [...words, file], { encoding: 'utf8' });
      const [, messages, seconds] = RESULT.exec(stdout) ?? [];
      if (messages === undefined) throw new Error(`${command} printed no messages: ${stderr}`);
      return [Number(messages) / Number(seconds)];
    },
  };
}

function linesOf({ network, tables }: Built, lookups: number): readonly string[] {
  const nodes = [...network.high.keys()];
  const hex = (high: number, low: number) =>
    [high, low].map((half) => half.toString(16).padStart(8, '0')).join('');
  const { firstBucket, firstContact, contacts, nearLow, nearHigh } = tables;
  const random = createRandom(parseSeed('1'), 'beside');
  return [
    ...nodes.map((node) => hex(network.high[node] ?? 0, network.low[node] ?? 0)),
    ...nodes.map((node) => {
      const from = firstContact[firstBucket[node] ?? 0];
      const near = nodes.slice(nearLow[node], nearHigh[node]).filter((other) => other !== node);
      return [...contacts.subarray(from, firstContact[firstBucket[node + 1] ?? 0]), ...near].join(
        ' ',
      );
    }),
    ...Array.from({ length: lookups }, () => {
      const key = drawKey(random);
      return `${random.below(network.size)} ${hex(key.high, key.low)}`;
    }),
  ];
}
