/**
 * @module
 * `usurp verify`: would a network with this policy admit the claim? Takes a claim, what `mine`
 * printed, or a key file; answers with every check that was made.
 */

import type { Command } from 'commander';
import { LabError } from '../errors.ts';
import type { Check, Verdict } from '../identity/admit.ts';
import { admit } from '../identity/admit.ts';
import type { Claim } from '../identity/claim.ts';
import { parseClaim } from '../identity/claim.ts';
import { parseJsonText } from '../runtime/json-text.ts';
import type { ExitCode } from './exit.ts';
import { EXIT } from './exit.ts';
import { readText } from './files.ts';
import { columns } from './layout.ts';
import type { OutputOptions, PolicyOptions } from './options.ts';
import { policyOf, verb, wantsJson, withPolicy } from './options.ts';
import type { Session, Terminal } from './terminal.ts';

interface VerifyOptions extends OutputOptions, PolicyOptions {
  readonly all?: true;
}

export function verifyCommand(session: Session): Command {
  const command = verb('verify', 'check a claim against a policy')
    .argument('<file>', 'a claim, the output of mine --json, or a key file; - for stdin')
    .option('--all', 'make every check, also after the first refusal');
  return withPolicy(command)
    .addHelpText('after', VERIFY_EXAMPLES)
    .action((file: string, options: VerifyOptions) =>
      session.run(options, (terminal) => runVerify(file, options, terminal)),
    );
}

const VERIFY_EXAMPLES = `
Exit codes: 0 valid, 1 invalid, 254 not a claim.

Examples:
  usurp verify key.json --c1 12
  usurp mine --c1 8 --seed 1 --json | usurp verify - --c1 9 --all --json`;

async function runVerify(
  file: string,
  options: VerifyOptions,
  terminal: Terminal,
): Promise<ExitCode> {
  const text = await readText(file, terminal);
  const claim = claimIn(text, file === '-' ? 'stdin' : file);
  const verdict = admit(claim, policyOf(options), { all: options.all === true });
  const answer = { valid: verdict.admitted, checks: verdict.checks };
  terminal.print(wantsJson(options) ? `${JSON.stringify(answer)}\n` : tableOf(verdict));
  return verdict.admitted ? EXIT.holds : EXIT.violated;
}

/** The claim in a document: the document itself, or its member `claim`. */
function claimIn(text: string, name: string): Claim {
  const refuse = (error: unknown): never => {
    if (!(error instanceof LabError)) throw error;
    throw new LabError(error.code, `${name}: ${error.message}`, error.faults);
  };
  try {
    const document = parseJsonText(text);
    const isWrapped = typeof document === 'object' && document !== null && 'claim' in document;
    if (isWrapped && document.claim === null) {
      throw new LabError('schema', 'it holds no claim: the search that wrote it found none');
    }
    return parseClaim(isWrapped ? document.claim : document);
  } catch (error) {
    return refuse(error);
  }
}

function tableOf(verdict: Verdict): string {
  const rows = verdict.checks.map((check) => [
    check.check,
    check.ok ? 'ok' : 'REFUSED',
    bitsOf(check),
    check.ok ? '' : `${check.code}: ${check.detail}`,
  ]);
  const summary = verdict.admitted ? 'valid\n' : `invalid: ${verdict.refusal}\n`;
  return summary + columns(rows);
}

function bitsOf({ measuredBits, requiredBits }: Check): string {
  return measuredBits === undefined ? '' : `${measuredBits} of ${requiredBits} bits`;
}
