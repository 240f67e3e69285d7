/**
 * @module
 * What would do the same without the lab: the command, and the request as a curl line. Each can be copied.
 */

import { useSignal } from '@preact/signals';

import { shellWord } from '../../../src/experiment/reading/shell-word.ts';
import { hasNoServer } from '../api/lab-thread.ts';
import { isSignedIn } from '../api/session.ts';

export interface EquivalentRequest {
  readonly method: 'GET' | 'POST' | 'PUT' | 'DELETE';
  readonly path: string;
  readonly body?: unknown;
  readonly accept?: string;
}

interface EquivalentProps {
  /** Arguments of the command, the verb first, or a whole command line; null if there is no such command. */
  readonly command: readonly string[] | string | null;
  readonly request: EquivalentRequest | null;
}

export function Equivalent({ command, request }: EquivalentProps) {
  return (
    <aside class="equivalent" aria-label="The same without this page">
      {command === null ? null : <Copied name="command" text={lineOf(command)} />}
      {request === null || hasNoServer ? null : <Copied name="curl" text={curlLine(request)} />}
    </aside>
  );
}

/** The command line of a command. */
export function lineOf(command: readonly string[] | string): string {
  return typeof command === 'string' ? command : ['usurp', ...command].map(shellWord).join(' ');
}

/** The curl line of a request to this server. If the browser is signed in, it sends the token in USURP_TOKEN. */
export function curlLine({ method, path, body, accept }: EquivalentRequest): string {
  const json = body === undefined ? [] : ['-H', 'Content-Type: application/json'];
  const data = body === undefined ? [] : ['-d', JSON.stringify(body)];
  const verb = method === (body === undefined ? 'GET' : 'POST') ? [] : ['-X', method];
  const form = accept === undefined ? [] : ['-H', `Accept: ${accept}`];
  const words = ['curl', '-s', ...verb, `${location.origin}${path}`, ...form, ...json, ...data];
  // The shell puts the token in, so that it is in no page.
  const token = isSignedIn.value ? ['-H "Authorization: Bearer $USURP_TOKEN"'] : [];
  return [...words.map(shellWord), ...token].join(' ');
}

interface CopiedProps {
  readonly name: string;
  readonly text: string;
  /** Whether a long text is broken into lines, so that all of it is seen. */
  readonly isWhole?: true;
}

/** A line with the button that copies it. */
export function Copied({ name, text, isWhole }: CopiedProps) {
  const isCopied = useSignal(false);
  const copy = async () => {
    await navigator.clipboard.writeText(text);
    isCopied.value = true;
    setTimeout(() => {
      isCopied.value = false;
    }, 1_500);
  };
  return (
    <div class={isWhole ? 'copied whole' : 'copied'}>
      <span class="copied-name">{name}</span>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must be reachable by keyboard */}
      <code tabIndex={0}>{text}</code>
      <button type="button" onClick={copy} aria-label={`Copy the ${name} line`}>
        {isCopied.value ? 'Copied' : 'Copy'}
      </button>
    </div>
  );
}
