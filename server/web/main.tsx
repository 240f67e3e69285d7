/**
 * @module
 * This folder contains the browser lab. This file shows it in the page.
 */

import './style/base.css';
import './style/parts.css';

import type { ComponentType } from 'preact';
import { render } from 'preact';
import { useEffect, useState } from 'preact/hooks';

import { isServerUp, serverLost, untilServerIsUp } from './api/client.ts';
import { hasNoServer } from './api/lab-thread.ts';
import { Navigation } from './parts/navigation.tsx';
import { Notice } from './parts/notice.tsx';
import { address, hrefOf } from './shell/router.ts';
import { SignIn, SignOut, signInReason } from './shell/sign-in.tsx';
import { Terms } from './shell/terms.tsx';
import type { ViewDefinition, ViewProps } from './shell/views.ts';
import { readOffers, VIEWS, viewAt } from './shell/views.ts';

const root = document.getElementById('lab');
if (root !== null) render(<App />, root);

/** The page: navigation, the view at the address, and notices about the server and the session. */
function App() {
  const view = viewAt(address.value);
  const isSigningIn = signInReason.value !== null;
  const links = VIEWS.filter(({ isOffered }) => isOffered?.() ?? true).map((each) => ({
    title: each.title,
    href: hrefOf(each.name === '' ? [] : [each.name]),
    isCurrent: each === view,
  }));
  useEffect(() => void readOffers(), [isSigningIn]);
  useEffect(() => {
    document.title = view === null || view.name === '' ? 'usurp' : `${view.title} · usurp`;
  }, [view]);
  return (
    <>
      <button type="button" class="skip" onClick={focusMain}>
        Skip to the content
      </button>
      <header class="top">
        <a class="logo" href={hrefOf([])}>
          usurp
        </a>
        <Navigation label="Views" links={links} />
        <a href={documentHref(view?.document ?? 'browser-lab')}>Help</a>
        {hasNoServer ? null : (
          <a class="reference" href="/reference">
            API
          </a>
        )}
        <SignOut />
      </header>
      <div role="status" class="server-state">
        {isServerUp.value ? null : (
          <Notice kind="warning">
            The server does not answer. This page goes on when it does.
          </Notice>
        )}
      </div>
      <main id="main" tabIndex={-1}>
        {isSigningIn ? <SignIn /> : <CurrentView view={view} />}
        <Terms view={view?.name ?? ''} />
        {hasNoServer ? (
          <p class="hint">
            This lab has no server. Everything runs in your browser, and is lost when you close or
            reload this page.
          </p>
        ) : null}
      </main>
    </>
  );
}

/** The page of a document and a part of it. Without a server it is a file. */
function documentHref(document: string): string {
  return `docs/${hasNoServer ? document.replace(/(?=#|$)/, '.html') : document}`;
}

function focusMain(): void {
  document.getElementById('main')?.focus();
}

function CurrentView({ view }: { readonly view: ViewDefinition | null }) {
  const [loaded, setLoaded] = useState<{ of: ViewDefinition; View: ComponentType<ViewProps> }>();
  useEffect(() => {
    let isCurrent = true;
    view?.load().then(
      ({ View }) => {
        if (isCurrent) setLoaded({ of: view, View });
      },
      async () => {
        // Browsers may keep the failure of an import. The address restores the view.
        serverLost();
        await untilServerIsUp();
        if (isCurrent) location.reload();
      },
    );
    return () => {
      isCurrent = false;
    };
  }, [view]);
  if (view === null) {
    return (
      <Notice kind="error">
        There is no view at this address. <a href={hrefOf([])}>Go to the start page.</a>
      </Notice>
    );
  }
  if (loaded === undefined || loaded.of !== view) return <p class="loading">Loading…</p>;
  const { segments, query } = address.value;
  return <loaded.View segments={segments.slice(1)} query={query} />;
}
