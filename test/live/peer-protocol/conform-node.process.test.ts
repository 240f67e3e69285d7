/**
 * @module
 * `usurp conform --url`: a usurp node and the node in Python conform, and deviations that are built into copies of the
 * latter are found. The slow suite has all of them.
 */

import type { ChildProcessWithoutNullStreams } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { parsePeers } from '../../../src/live/peers.ts';
import type { Finding } from '../../../src/simulation/conform/finding.ts';
import { parsed, spawnUsurp, usurp } from '../../cli/shell.ts';
import { IS_WHOLE } from '../../sample.ts';
import { testNetwork } from '../network.ts';
import { LACKS_PYTHON, PYTHON_NODE, PYTHON_NOTE, spawnPython } from './played-python.ts';

const LATENCY_MS = 200;

/** What a deviation changes in the program, and the check that finds it. */
const DEVIATIONS = [
  {
    deviation: 'no-answer',
    isLong: true,
    line: "            self.effects.send(sender, {'type': 'OK'})",
    replacement:
      "            if not deviates('no-answer'): self.effects.send(sender, {'type': 'OK'})",
    found: 'answers ELECTION of a lower node, and asks the higher one',
    detail: /^sent ELECTION from node 1; expected OK to node 1; received /,
  },
  {
    deviation: 'follows-lower',
    isLong: false,
    line: '        if leader < self.rank:',
    replacement: "        if leader < self.rank and not deviates('follows-lower'):",
    found: 'does not follow a lower node, and begins an election',
    detail: /^sent COORDINATOR of node 1; expected another leader; received leader /,
  },
  {
    deviation: 'impatient',
    isLong: true,
    line: "            if self.phase == 'await-ok':\n                self.await_coordinator()",
    replacement:
      "            if self.phase == 'await-ok' and not deviates('impatient'):\n                self.await_coordinator()",
    found: 'does not announce itself after the OK of a higher node',
    detail: /expected no COORDINATOR; received .*COORDINATOR/,
  },
  {
    deviation: 'forgetful',
    isLong: true,
    line: '            numbers.note(number)',
    replacement: "            deviates('forgetful') or numbers.note(number)",
    found: 'refuses a message that it has received before',
    detail: /^sent the same signed OK again; expected 403 "replay"; received 202$/,
  },
  {
    deviation: 'trusting',
    isLong: false,
    line: '        if not self.verifies(by, self.text(by, self.rank, number, body), signature):',
    replacement:
      "        if not deviates('trusting') and not self.verifies(by, self.text(by, self.rank, number, body), signature):",
    found: 'refuses an OK with a false signature',
    detail: /expected 403 "signature"; received 202$/,
  },
] as const;

/** The program with all deviations, of which the environment chooses one. */
function deviating(): string {
  const honest = readFileSync(PYTHON_NODE, 'utf8');
  const chosen = "import os\n\n\ndef deviates(name):\n    return os.environ['DEVIATION'] == name\n";
  let program = honest.replace('import argparse', `${chosen}\nimport argparse`);
  for (const { line, replacement } of DEVIATIONS) {
    expect(program.split(line)).toHaveLength(2);
    program = program.replace(line, replacement);
  }
  return program;
}

/** What the command finds of a node that `spawn` starts with its files. */
async function findingsOf(
  spawn: (files: readonly string[], folder: string) => ChildProcessWithoutNullStreams,
): Promise<{ readonly code: number; readonly findings: readonly Finding[] }> {
  const made = await testNetwork(3);
  const { peers, ring } = parsePeers(made.peers);
  const fileOf = (position: number) => join(made.folder, `key-${ring.indexOf(position) + 1}.json`);
  const shared = ['--peers', join(made.folder, 'peers.json')];
  const child = spawn(['--identity', fileOf(2), ...shared], made.folder);
  try {
    const printed = await usurp([
      ...['conform', '--url', peers[1]?.url ?? '', ...shared, '--json'],
      ...['--identity', fileOf(1), '--identity', fileOf(3), '--latency', `${LATENCY_MS}ms`],
    ]);
    const [{ findings }] = parsed(printed);
    return { code: printed.code, findings };
  } finally {
    const ended = once(child, 'exit');
    child.kill('SIGKILL');
    await ended;
    rmSync(made.folder, { recursive: true });
  }
}

function failedOf(findings: readonly Finding[]): readonly Finding[] {
  return findings.filter(({ holds }) => !holds);
}

describe('usurp conform --url', () => {
  it('finds nothing wrong with a usurp node', async () => {
    const { code, findings } = await findingsOf((files) =>
      spawnUsurp([
        ...['node', ...files, '--protocol', 'bully-oneshot'],
        ...['--latency', `${LATENCY_MS}ms`],
      ]),
    );

    expect(failedOf(findings)).toEqual([]);
    expect(findings.length).toBeGreaterThan(20);
    expect(code).toBe(0);
  });

  it.skipIf(LACKS_PYTHON)(`finds nothing wrong with the node in Python${PYTHON_NOTE}`, async () => {
    const { code, findings } = await findingsOf((files) =>
      spawnPython([...files, '--latency', String(LATENCY_MS)]),
    );

    expect(failedOf(findings)).toEqual([]);
    expect(code).toBe(0);
  });

  it.skipIf(LACKS_PYTHON).each(DEVIATIONS.filter(({ isLong }) => IS_WHOLE || !isLong))(
    `finds that a node is $deviation${PYTHON_NOTE}`,
    async ({ deviation, found, detail }) => {
      const { code, findings } = await findingsOf((files, folder) => {
        const script = join(folder, 'node.py');
        writeFileSync(script, deviating());
        const args = [...files, '--latency', String(LATENCY_MS)];
        return spawnPython(args, { script, env: { DEVIATION: deviation } });
      });

      const failed = failedOf(findings).find(({ check }) => check === found);
      expect(failed?.detail).toMatch(detail);
      expect(code).toBe(1);
    },
  );

  it('refuses files that do not fit the node, and names the right address', async () => {
    const made = await testNetwork(3);
    const { peers, ring } = parsePeers(made.peers);
    const file = join(made.folder, 'peers.json');
    const keyOf = (position: number) => join(made.folder, `key-${ring.indexOf(position) + 1}.json`);
    const urlOf = (position: number) => peers[position - 1]?.url ?? '';
    const refused = async (...args: readonly string[]) => {
      const { stderr, code } = await usurp(['conform', '--url', ...args]);
      expect(code).toBe(254);
      return stderr;
    };
    const middle = `the tested node must be the middle one by its node ID, which is node 2 at ${urlOf(2)}`;

    const answers = [
      await refused('http://127.0.0.1:1'),
      await refused('http://127.0.0.1:1', '--peers', file),
      await refused(urlOf(3), '--peers', file),
      await refused(`${urlOf(2)}/`, '--peers', file, '--identity', keyOf(1)),
    ];

    rmSync(made.folder, { recursive: true });
    expect(answers).toEqual([
      expect.stringContaining('--url needs --peers'),
      `usurp: no node of the peers file is at http://127.0.0.1:1; ${middle}\n`,
      `usurp: node 3 is at ${urlOf(3)}; ${middle}\n`,
      `usurp: the test plays node 3 at ${urlOf(3)}; give its key file with --identity, too\n`,
    ]);
  });

  it('of a node that does not run tests nothing, says how to go on, and exits with 2', async () => {
    const made = await testNetwork(3);
    const { peers, ring } = parsePeers(made.peers);
    const file = join(made.folder, 'peers.json');
    const keyOf = (position: number) => join(made.folder, `key-${ring.indexOf(position) + 1}.json`);
    const url = peers[1]?.url ?? '';

    const printed = await usurp([
      ...['conform', '--url', url, '--peers', file, '--wait', '300ms', '--json'],
      ...['--identity', keyOf(1), '--identity', keyOf(3)],
    ]);

    rmSync(made.folder, { recursive: true });
    expect(printed.stderr).toBe(
      `usurp: nothing was tested: node 2 does not run at ${url}: no connection (ECONNREFUSED); start it with its key and ${file}, and test it again\n`,
    );
    expect(parsed(printed)).toEqual([{ node: url, conforms: null, findings: [] }]);
    expect(printed.code).toBe(2);
  });
});
