/**
 * @module
 * This folder contains the visual parts that several views use. This file shows notices and refusals.
 */

import type { ComponentChildren } from 'preact';
import { capitalized } from '../../../src/printable.ts';

import { LostServerError, ProblemError } from '../api/client.ts';

interface NoticeProps {
  readonly kind: 'info' | 'warning' | 'error';
  readonly children: ComponentChildren;
}

export function Notice({ kind, children }: NoticeProps) {
  return (
    <div class={`notice ${kind}`} role={kind === 'error' ? 'alert' : undefined}>
      {children}
    </div>
  );
}

/** Why something failed: the problem of the server with each wrong member. Shows nothing without an error. */
export function ErrorNotice({ error }: { readonly error: unknown }) {
  if (error === null || error === undefined || error instanceof LostServerError) return null;
  if (!(error instanceof ProblemError)) {
    return <Notice kind="error">{error instanceof Error ? error.message : String(error)}</Notice>;
  }
  const { title, detail, errors = [], code } = error.problem;
  return (
    <Notice kind="error">
      <strong>{title}.</strong> {errors.length === 0 ? capitalized(detail) : null}
      {errors.length === 0 ? null : (
        <ul>
          {errors.map((each) => (
            <li key={each.pointer}>
              <code>{each.pointer}</code> {each.detail}
            </li>
          ))}
        </ul>
      )}{' '}
      <a href={`/problems/${code}`}>What this means</a>
    </Notice>
  );
}
