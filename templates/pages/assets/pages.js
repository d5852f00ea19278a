/**
 * The one script of the pages for log-in, consent and accounts. Texts come with the page; whatever comes from elsewhere
 * is put there as text (`textContent`), never as HTML: the policy of the pages has no way to make HTML of a string.
 */
(function run() {
  const { page, index, authenticating, words: wordsJson } = document.body.dataset;
  const words = JSON.parse(wordsJson);
  const jsonType = 'application/json';
  /** Time after which a waiting page shows a message. */
  const silentMilliseconds = 400;
  /** End of the title of every page. */
  const service = document.title.slice(document.title.indexOf(' – '));

  function find(id) {
    return document.getElementById(id);
  }

  /** Shows or hides an element; hidden fields are not required. */
  function show(element, visible = true) {
    element.hidden = !visible;
    for (const field of element.querySelectorAll('input')) {
      field.disabled = !visible;
    }
  }

  /** Makes an element with text in it. */
  function make(name, text = '', attributes = {}) {
    const element = Object.assign(document.createElement(name), attributes);
    element.textContent = text;
    return element;
  }

  function say(message, good = false) {
    const note = find('error');
    note.textContent = message;
    note.classList.toggle('bad', !good);
    note.hidden = false;
    note.focus();
  }

  /** Navigates to a URL, unless it is one that would run a script. */
  function go(url) {
    const { protocol } = new URL(url, location.href);
    if (protocol !== 'https:' && protocol !== 'http:' && !protocol.includes('.')) {
      throw new Error(words.failed);
    }
    location.assign(url);
  }

  /** Links to a page of this server; without a URL the link stays hidden. */
  function link(id, url) {
    const element = find(id);
    if (!url || new URL(url, location.href).origin !== location.origin) {
      return false;
    }
    (element.querySelector('a') ?? element).href = url;
    show(element);
    return true;
  }

  async function send(url, method, json) {
    const response = await fetch(url, {
      method,
      headers: { accept: jsonType, ...json && { 'content-type': jsonType }},
      ...json && { body: JSON.stringify(json) },
    });
    const isJson = /^application\/(?:problem\+)?json/u.test(response.headers.get('content-type') ?? '');
    const body = isJson ? await response.json() : {};
    if (!response.ok) {
      const said = words[typeof body.type === 'string' ? body.type.split('/').at(-1) : ''];
      const { status } = response;
      throw Object.assign(new Error(said || body.message || body.detail || words.failed), { status, said });
    }
    return body;
  }

  async function read(url) {
    return send(url, 'GET');
  }

  async function readControls() {
    return (await read(index)).controls;
  }

  /** Reads the controls of the account that is logged in. */
  async function readOwnControls() {
    const controls = await readControls();
    if (!controls.html.account?.account) {
      throw Object.assign(new Error(words.ended), { status: 401 });
    }
    return controls;
  }

  /** Messages of the account interface, which are in English only, by the name of their translation. */
  const sayings = [
    [ /^A password has \d+ characters or more/u, 'passwordShort' ],
    [ /^A password has \d+ characters or less/u, 'passwordLong' ],
    [ /^(?:This password|A password that) is .*tried first/u, 'passwordCommon' ],
    [ /^There already is a login/u, 'addressTaken' ],
    [ /reset password link is no longer/u, 'linkEnded' ],
    [ /^This invitation is invalid/u, 'invitationEnded' ],
    [ /^Old password is invalid/u, 'oldPassword' ],
    [ /needs at least 1 login method/u, 'lastLogin' ],
    [ /remove the last owner/u, 'lastOwner' ],
    [ /WebIDs of its own account|WebID does not belong/u, 'notLinked' ],
    [ /already registered to this account/u, page === 'account/create-pod' ? 'nameTaken' : 'alreadyLinked' ],
    [ /^This WebID belongs to a citizen, whose log-in gives it/u, 'ownWebId' ],
    [ /^This WebID belongs to a citizen whose data is in the pod/u, 'ownerOfData' ],
    [ /^This WebID belongs to a citizen/u, 'ofCitizen' ],
    [ /^A WebID has one spelling: (?<line>http\S+)\.$/u, 'spelling' ],
    [ /^A WebID is an http/u, 'notAWebId' ],
    [ /already is a resource at|^Pod creation failed|name of the pod is taken|pod name is reserved/u, 'nameTaken' ],
    [ /^A pod has a name/u, 'nameNeeded' ],
    [ /^An account has at most \d+/u, 'tooMany' ],
    [ /has at most \d+ characters/u, 'tooLong' ],
    [ /^Another app asked for a log-in/u, 'otherApp' ],
    [ /only be performed as part of an OIDC authentication flow/u, 'login-not-open' ],
    [ /Please add the RDF triple (?<line>.+?) to the WebID document/u, 'prove' ],
  ];

  function inOwnWords(message) {
    for (const [ pattern, word ] of sayings) {
      const found = pattern.exec(message);
      if (found) {
        return words[word].replace('{line}', () => found.groups.line);
      }
    }
    return message;
  }

  /** Runs part of a page, and shows its errors. */
  async function attempt(work) {
    try {
      await work();
    } catch (error) {
      if (error.status === 401) {
        say(words.ended);
        return find('error').append(' ', make('a', words.logInPage, { href: index }));
      }
      say(error instanceof TypeError ? words.failed : inOwnWords(error.message));
    }
  }

  /** Does something on each click of a link or button. A button that is shown before that is disabled in the page. */
  function onClick(element, work) {
    element.disabled = false;
    element.addEventListener('click', async(event) => {
      event.preventDefault();
      await attempt(work);
    });
  }

  function onSubmit(work) {
    const form = find('form');
    const button = form.querySelector('[type=submit]');
    button.disabled = false;
    form.addEventListener('submit', async(event) => {
      event.preventDefault();
      button.disabled = true;
      await attempt(async() => work(new FormData(form)));
      button.disabled = false;
    });
  }

  function done() {
    show(find('ask'), false);
    show(find('done'));
    find('done').querySelector('h2').setAttribute('tabindex', '-1');
    find('done').querySelector('h2').focus();
  }

  function readPassword(form, name) {
    if (form.get(name) !== form.get('confirmPassword')) {
      throw new Error(words.passwordsDiffer);
    }
    return form.get(name);
  }

  /** Adds a radio button for each value; a single one is selected. */
  function listChoices(element, name, values) {
    for (const value of values) {
      const label = make('label', '', { className: 'choice' });
      label.append(
        make('input', '', { type: 'radio', name, value, required: true, checked: values.length === 1 }),
        make('bdi', value),
      );
      element.append(label);
    }
  }

  function webLink(url) {
    const bdi = make('bdi');
    bdi.append(make('a', url, { href: url, rel: 'noopener noreferrer' }));
    return bdi;
  }

  /** Says, to screen readers, what one of several equal links or buttons is about. */
  function about(element, name) {
    element.append(make('span', `: ${name}`, { className: 'hide' }));
    return element;
  }

  async function confirmAndRemove(item, question, remove) {
    // eslint-disable-next-line no-alert -- the browser's dialog is accessible without further code
    if (confirm(question)) {
      await remove();
      // The button that had the focus goes with the item.
      const next = (item.nextElementSibling ?? item.previousElementSibling)?.querySelector('button, .acts a');
      const heading = item.closest('section').querySelector('h2');
      heading.setAttribute('tabindex', '-1');
      item.remove();
      (next ?? heading).focus();
    }
  }

  /** Lists entries of the account, by name and URL, with their actions. */
  function list(id, entries, { change, remove, question } = {}) {
    for (const [ name, url ] of Object.entries(entries)) {
      const item = make('li');
      item.append(/^https?:\/\//u.test(name) ? webLink(name) : make('bdi', name));
      const actions = make('div', '', { className: 'acts' });
      if (change && new URL(url, location.href).origin === location.origin) {
        actions.append(about(make('a', words.change, { href: url, className: 'btn slim' }), name));
      }
      if (remove) {
        const button = about(make('button', words.remove, { type: 'button', className: 'btn slim' }), name);
        onClick(button, async() => confirmAndRemove(item, question, async() => send(url, 'DELETE')));
        actions.append(button);
      }
      item.append(actions);
      find(id).querySelector('ul').append(item);
    }
    show(find(id));
  }

  async function cancelButton(controls) {
    const button = find('cancel');
    show(button, authenticating === 'true');
    onClick(button, async() => go((await send(controls.oidc.cancel, 'POST')).location));
  }

  async function toFirstPage() {
    const { html, main, oidc } = await readControls();
    if (authenticating === 'true' && oidc && page === 'index') {
      return go((await read(oidc.prompt)).location);
    }
    go(html.account?.account ?? html.main?.login ?? main.logins);
  }

  /** Makes the text of a login method: its name and a hint. */
  function makeWay(name, hint = '') {
    const way = make('span');
    way.append(make('strong', name), ' ', make('span', hint));
    return way;
  }

  function addItem(list, element) {
    const item = make('li');
    item.append(element);
    document.querySelector(list).append(item);
  }

  /** Shows one state of a page. */
  function turnTo(id) {
    for (const state of [ 'asking', 'failed', 'welcome', 'declined' ]) {
      show(find(state), state === id);
    }
    const heading = find(id).querySelector('h1');
    document.title = heading.textContent + service;
    heading.focus();
  }

  function setBusy(isBusy) {
    for (const id of [ 'yes', 'no' ]) {
      find(id).disabled = isBusy;
    }
  }

  async function afterWelcome(controls, body) {
    try {
      const { location: next } = await send(controls.national.welcome, 'POST', body);
      if (body.answer === 'no' && !next) {
        return turnTo('declined');
      }
      go(next ?? (await readControls()).html.account.account);
    } catch (error) {
      turnTo('failed');
      throw error;
    }
  }

  /** Logs in to the app as a WebID, and allows what the app requests: not what another asked for since. */
  async function allow({ oidc }, client, webId, remember) {
    // The provider requires two steps: first the WebID, then the consent.
    const { location: next } = await send(oidc.webId, 'POST', { webId, client });
    await fetch(next);
    go((await send(oidc.consent, 'POST', { remember, client })).location);
  }

  async function askConsent(controls) {
    let client;
    onClick(find('cancel'), async() => go((await send(controls.oidc.cancel, 'POST', { client })).location));
    link('edit', controls.html.account?.account);
    onClick(find('switch'), async() => {
      await send(controls.account.logout, 'POST');
      go(controls.html.main.login);
    });
    const { app, client: { client_id: clientId }} = await read(controls.oidc.consent);
    client = clientId;
    const { webIds } = await read(controls.oidc.webId);
    if (!app.needsConsent && webIds.length === 1) {
      return allow(controls, client, webIds[0], false);
    }
    // The heading is the address, because nobody has verified the name.
    find('app').textContent = app.address;
    find('address').textContent = app.address;
    document.title = `${app.address} – ${document.title}`;
    for (const [ id, text ] of [[ 'returns', app.returnsTo ], [ 'named', app.name ]]) {
      find(id).querySelector('bdi').textContent = text ?? '';
      show(find(id), Boolean(text));
    }
    show(find('stays'), app.staysConnected);
    show(find('remember'), app.staysConnected);
    listChoices(find('webIds'), 'webId', webIds);
    if (webIds.length === 0) {
      throw new Error(words.noWebIds);
    }
    onSubmit(async form => allow(controls, client, form.get('webId'), form.get('remember') !== null));
    find('asking').hidden = false;
  }

  /** Loads the page in another language, and those that follow, the citizen's pages in this tab, too. */
  for (const choice of document.querySelectorAll('.tools [hreflang]')) {
    onClick(choice, async() => {
      const secure = location.protocol === 'https:' ? '; secure' : '';
      document.cookie = `css-language=${choice.hreflang}; path=/; max-age=31536000; samesite=lax${secure}`;
      sessionStorage.setItem('language', choice.hreflang);
      location.reload();
    });
  }

  const pages = {
    index: toFirstPage,
    'account/account': toFirstPage,

    async login() {
      const controls = await readControls();
      const { providers = []} = controls.national ? await read(controls.national.login) : {};
      const ways = Object.entries((await read(controls.main.logins)).logins);
      if (providers.length + ways.length === 0) {
        return say(words.noLogins);
      }
      if (ways.length === 1 && providers.length === 0) {
        return go(ways[0][1]);
      }
      for (const { id, name, statesName } of providers) {
        const button = make('button', '', { type: 'button', className: 'go' });
        button.append(makeWay(name, words.nationalHint.replace('{provider}', name)));
        onClick(button, async() =>
          go((await send(controls.national.login, 'POST', { provider: id })).location));
        addItem('#national ul', button);
        const learned = statesName ? words.learnedName : words.learned;
        document.querySelector('#learned div').append(make('p', learned.replace('{provider}', () => name)));
      }
      show(find('national'), providers.length > 0);
      show(find('learned'), providers.length > 0);
      for (const [ name, url ] of ways) {
        const isPassword = url === controls.password?.login;
        const anchor = make('a', '', { href: url, className: 'go' });
        anchor.append(isPassword ? makeWay(words.passwordWay, words.passwordHint) : makeWay(name));
        addItem('#ways', anchor);
      }
      show(find('others'), ways.length > 0);
    },

    'national/answer': async() => {
      const answer = location.search.slice(1);
      // The code works only once, and need not stay in the browser's history.
      history.replaceState(undefined, '', location.pathname);
      const controls = await readControls();
      if (answer === '' && controls.html.account?.account) {
        // Somebody goes back to the page after the log-in.
        return go(controls.html.account.account);
      }
      link('again', controls.html.main.login);
      await cancelButton(controls);
      try {
        const { ticket, name, location: next } = await send('', 'POST', { answer });
        if (ticket === undefined) {
          return go(next ?? (await readControls()).html.account.account);
        }
        if (name) {
          find('hello').querySelector('bdi').textContent = name;
          show(find('hello'));
        }
        turnTo('welcome');
        onClick(find('yes'), async() => {
          setBusy(true);
          find('yes').textContent = words.makingVault;
          await afterWelcome(controls, { ticket, answer: 'yes' });
        });
        onClick(find('no'), async() => {
          setBusy(true);
          await afterWelcome(controls, { ticket, answer: 'no' });
        });
      } catch (error) {
        turnTo('failed');
        throw error;
      }
    },

    'password/login': async() => {
      const controls = await readControls();
      await cancelButton(controls);
      onSubmit(async(form) => {
        const { location: next } = await send(controls.password.login, 'POST', {
          email: form.get('email'),
          password: form.get('password'),
          remember: form.get('remember') !== null,
        }).catch((error) => {
          throw error.status === 403 && !error.said ? new Error(words.wrongPassword) : error;
        });
        go(next ?? (await readControls()).html.account.account);
      });
      const { logins } = await read(controls.main.logins);
      const others = [
        link('register', controls.html.password.register),
        link('forgot', controls.html.password.forgot),
        (Object.keys(logins).length > 1 || controls.national) && link('ways', controls.html.main?.login),
      ];
      show(find('others'), others.includes(true));
    },

    'password/register': async() => {
      const controls = await readControls();
      link('back', controls.html.password.login);
      const invitation = new URLSearchParams(location.hash.slice(1)).get('invitation');
      const isOpen = controls.account?.create !== undefined;
      if (!isOpen && invitation === null) {
        show(find('ask'), false);
        return say(words.invitedOnly);
      }
      let created;
      onSubmit(async(form) => {
        const login = { email: form.get('email'), password: readPassword(form, 'password') };
        if (!isOpen) {
          const invited = await send(new URL('account/', index).href, 'POST', { invitation, ...login });
          if (invited.location) {
            await fetch(invited.location);
          }
          return go((await readControls()).html.account.account);
        }
        // Made once, though the password may be refused the first time.
        created ??= { ...await send(controls.account.create, 'POST'), controls: await readControls() };
        await send(created.controls.password.create, 'POST', login);
        if (created.location) {
          // Continues the interaction that requested the log-in; the account still needs a WebID first.
          await fetch(created.location);
        }
        go(created.controls.html.account.account);
      });
    },

    'password/create': async() => {
      const controls = await readOwnControls();
      link('back', controls.html.account.account);
      onSubmit(async(form) => {
        await send(controls.password.create, 'POST', { email: form.get('email'), password: readPassword(form, 'password') });
        go(controls.html.account.account);
      });
    },

    'password/update': async() => {
      const controls = await readOwnControls();
      link('back', controls.html.account.account);
      onSubmit(async(form) => {
        await send('', 'POST', { oldPassword: form.get('oldPassword'), newPassword: readPassword(form, 'newPassword') });
        go(controls.html.account.account);
      });
    },

    'password/forgot': async() => {
      const controls = await readControls();
      link('back', controls.html.password.login);
      onSubmit(async(form) => {
        await send(controls.password.forgot, 'POST', { email: form.get('email') });
        done();
      });
    },

    'password/reset': async() => {
      const controls = await readControls();
      link('next', controls.html.password.login);
      const recordId = new URLSearchParams(location.search).get('rid');
      onSubmit(async(form) => {
        await send(controls.password.reset, 'POST', { recordId, password: readPassword(form, 'password') });
        done();
      });
    },

    'account/resource': async() => {
      const controls = await readControls();
      const { account = {}, html } = controls;
      if (!html.account?.account) {
        return go(html.main.login);
      }
      onClick(find('logout'), async() => {
        await send(account.logout, 'POST');
        const { providers = []} = controls.national ? await read(controls.national.login) : {};
        go(providers.length > 0 ? controls.national.logout : html.main.login);
      });
      show(find('continue'), authenticating === 'true');
      onClick(find('continue'), async() => go((await read(controls.oidc.prompt)).location));

      if (controls.password?.create) {
        const { fields, passwordLogins } = await read(controls.password.create);
        const mayAdd = fields !== undefined;
        if (mayAdd || Object.keys(passwordLogins).length > 0) {
          list('passwords', passwordLogins, { change: mayAdd, remove: true, question: words.removePassword });
          link('createPassword', mayAdd && controls.password.create);
        }
      }
      const { pods } = account.pod ? await read(account.pod) : { pods: {}};
      if (html.account.createPod || Object.keys(pods).length > 0) {
        list('pods', pods, { change: true });
        link('createPod', html.account.createPod);
      }
      const { webIdLinks } = account.webId ? await read(account.webId) : { webIdLinks: {}};
      if (html.account.linkWebId || Object.keys(webIdLinks).length > 0) {
        list('webIds', webIdLinks, { remove: true, question: words.removeWebId });
        link('linkWebId', html.account.linkWebId);
      }
      const { clientCredentials } = account.clientCredentials ?
          await read(account.clientCredentials) :
          { clientCredentials: {}};
      if (html.account.createClientCredentials || Object.keys(clientCredentials).length > 0) {
        list('credentials', clientCredentials, { remove: true, question: words.removeCredentials });
        link('createCredentials', Object.keys(webIdLinks).length > 0 && html.account.createClientCredentials);
      }
    },

    'account/create-pod': async() => {
      const controls = await readOwnControls();
      link('back', controls.html.account.account);
      link('next', controls.html.account.account);
      show(find('other'), false);
      find('form').addEventListener('change', () => {
        const isNew = new FormData(find('form')).get('owner') === 'new';
        show(find('link'), isNew);
        show(find('other'), !isNew);
      });
      onSubmit(async(form) => {
        const other = form.get('owner') === 'other';
        const settings = other ? { webId: form.get('webId') } : { linkStorage: true };
        const isPlain = !other && form.get('linkStorage') === null;
        const made = await send(controls.account.pod, 'POST', {
          name: form.get('name'),
          ...!isPlain && { settings },
        });
        find('pod').replaceChildren(webLink(made.pod));
        if (made.webIdResource) {
          find('newWebId').querySelector('bdi').replaceChildren(webLink(made.webId));
          show(find('newWebId'));
        }
        done();
      });
    },

    'account/pod-settings': async() => {
      const { baseUrl, owners, controls } = await read('');
      find('pod').textContent = baseUrl;
      link('back', controls.html.account.account);
      for (const { webId, visible } of owners) {
        const item = make('li');
        const shown = make('label', '', { className: 'choice' });
        const box = make('input', '', { type: 'checkbox', checked: visible });
        box.addEventListener('change', async() =>
          attempt(async() => send('', 'POST', { webId, visible: box.checked }).catch((error) => {
            box.checked = !box.checked;
            throw error;
          })));
        shown.append(box, about(make('span', words.visible), webId));
        const button = about(make('button', words.remove, { type: 'button', className: 'btn slim' }), webId);
        onClick(button, async() => confirmAndRemove(item, words.removeOwner, async() =>
          send('', 'POST', { webId, remove: true })));
        item.append(make('bdi', webId), shown, button);
        find('owners').append(item);
      }
      onSubmit(async(form) => {
        await send('', 'POST', { webId: form.get('webId') });
        location.reload();
      });
    },

    'account/link-webid': async() => {
      const controls = await readOwnControls();
      link('back', controls.html.account.account);
      link('next', controls.html.account.account);
      onSubmit(async(form) => {
        const { webId, oidcIssuer } = await send(controls.account.webId, 'POST', { webId: form.get('webId') });
        find('triple').textContent = `<${webId}> <http://www.w3.org/ns/solid/terms#oidcIssuer> <${oidcIssuer}>.`;
        done();
      });
    },

    'account/create-client-credentials': async() => {
      const controls = await readOwnControls();
      link('back', controls.html.account.account);
      link('next', controls.html.account.account);
      const webIds = Object.keys((await read(controls.account.webId)).webIdLinks);
      if (webIds.length === 0) {
        show(find('ask'), false);
        return show(find('none'));
      }
      listChoices(find('webIds'), 'webId', webIds);
      onSubmit(async(form) => {
        const { id, secret } = await send(controls.account.clientCredentials, 'POST', {
          name: form.get('name'),
          webId: form.get('webId'),
        });
        find('id').textContent = id;
        find('secret').textContent = secret;
        done();
      });
    },

    'oidc/logged-out': async() => {
      // The page after a log-out that an app began does not use the account interface.
      const { html, national } = index ? await readControls() : {};
      if (html?.account?.account) {
        // A link leads here while somebody is logged in.
        return go(html.account.account);
      }
      const { name, location: next } = national ? await send(national.logout, 'POST') : {};
      if (next) {
        find('there').querySelector('h2').textContent = words.stillThere.replace('{provider}', () => name);
        show(find('there'));
        onClick(find('there').querySelector('a'), async() => go(next));
      }
    },

    'oidc/consent': async() => {
      const moment = find('moment').querySelector('p');
      const waiting = setTimeout(() => show(moment), silentMilliseconds);
      try {
        const controls = await readControls();
        // Nothing to ask: somebody goes back to the page after the log-in to an app.
        await (controls.oidc ? askConsent(controls) : toFirstPage());
      } catch (error) {
        find('asking').hidden = false;
        throw error;
      } finally {
        if (!find('asking').hidden) {
          clearTimeout(waiting);
          show(moment, false);
        }
      }
    },
  };

  const work = pages[page];
  if (work) {
    attempt(work);
  }
})();
