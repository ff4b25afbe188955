// An OpenID Connect provider for the end-to-end tests: node provider.mjs CONFIG.json
//
// CONFIG: {port, client_id, client_secret, redirect_uris, id_token_alg, accounts}. Port 0 takes any
// free one; id_token_alg is RS256 (default) or ES256; an account is {sub, password} and its claims.
// Writes {"issuer": URL} as the only line of standard output once it listens on 127.0.0.1. People
// sign in with their `sub`. POST /test/rotate-keys replaces all signing keys. State is in memory.

import { generateKeyPairSync, randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';

import Provider from 'oidc-provider';

console.info = console.error; // the library's notices: standard output has the issuer alone

const config = JSON.parse(readFileSync(process.argv[2], 'utf8'));
const accounts = new Map(config.accounts.map((account) => [account.sub, account]));
const cookieKeys = [randomBytes(32).toString('hex')];
const scopes = {
  openid: ['sub'],
  email: ['email', 'email_verified'],
  profile: ['name', 'preferred_username'],
};

function signingKeys() {
  const pairs = { RS256: ['rsa', { modulusLength: 2048 }], ES256: ['ec', { namedCurve: 'P-256' }] };
  return Object.entries(pairs).map(([alg, pair]) => (
    { ...generateKeyPairSync(...pair).privateKey.export({ format: 'jwk' }), alg, use: 'sig' }));
}

// Whoever signs in agrees to every scope: there is no page for that.
async function fullGrant({ oidc }) {
  const { clientId } = oidc.client;
  const grant = new oidc.provider.Grant({ clientId, accountId: oidc.session.accountId });
  grant.addOIDCScope(Object.keys(scopes).join(' '));
  await grant.save();
  return grant;
}

function findAccount(_context, sub) {
  const account = accounts.get(sub);
  if (!account) return undefined;
  const { password, ...claims } = account;
  return { accountId: sub, claims: () => claims };
}

// A provider with fresh keys. Grants, codes and sessions outlive it: the library's store belongs to
// the process, not to the instance.
function makeProvider(issuer) {
  const made = new Provider(issuer, {
    clients: [{
      client_id: config.client_id,
      client_secret: config.client_secret,
      redirect_uris: config.redirect_uris,
      id_token_signed_response_alg: config.id_token_alg ?? 'RS256',
      token_endpoint_auth_method: 'client_secret_basic',
      grant_types: ['authorization_code'],
      response_types: ['code'],
    }],
    jwks: { keys: signingKeys() },
    cookies: { keys: cookieKeys },
    claims: scopes,
    conformIdTokenClaims: false, // else the claims were in the userinfo answer alone
    clientAuthMethods: ['client_secret_basic'],
    responseTypes: ['code'],
    enabledJWA: { idTokenSigningAlgValues: ['RS256', 'ES256'] },
    pkce: { required: () => true, methods: ['S256'] },
    features: { devInteractions: { enabled: false } }, // they accept any password
    interactions: { url: (_context, interaction) => `/interaction/${interaction.uid}` },
    findAccount,
    loadExistingGrant: fullGrant,
  });
  // The answers leave out the reason that a failing test needs.
  for (const event of ['authorization.error', 'grant.error', 'userinfo.error', 'server_error']) {
    made.on(event, (_context, error) => {
      const { error_description: told = '', error_detail: reason = error.stack } = error;
      console.error(`${event}: ${told} ${reason}`);
    });
  }
  return made;
}

const signInPage = (problem) => `<!DOCTYPE html>
<title>Sign in</title>
<form method="post">
  <p>${problem}</p>
  <label>Account <input name="account" autofocus></label>
  <label>Password <input name="password" type="password"></label>
  <button name="press" value="sign-in">Sign in</button>
  <button name="press" value="cancel">Cancel</button>
</form>
`;

function show(response, status, page) {
  response.writeHead(status, { 'Content-Type': 'text/html; charset=utf-8' });
  response.end(page);
}

async function formOf(request) {
  const chunks = [];
  for await (const chunk of request) chunks.push(chunk);
  return new URLSearchParams(Buffer.concat(chunks).toString('utf8'));
}

async function interact(request, response) {
  await provider.interactionDetails(request, response); // throws at an unknown or finished one
  if (request.method !== 'POST') {
    show(response, 200, signInPage(''));
    return;
  }
  const form = await formOf(request);
  const account = accounts.get(form.get('account'));
  let outcome;
  if (form.get('press') === 'cancel') {
    outcome = { error: 'access_denied', error_description: 'the person pressed Cancel' };
  } else if (account && form.get('password') === account.password) {
    outcome = { login: { accountId: account.sub } };
  } else {
    show(response, 401, signInPage('No such account, or another password.'));
    return;
  }
  await provider.interactionFinished(request, response, outcome);
}

let provider;
let answer;

function useFreshKeys(issuer) {
  provider = makeProvider(issuer);
  answer = provider.callback();
}

const server = createServer((request, response) => {
  if (request.method === 'POST' && request.url === '/test/rotate-keys') {
    useFreshKeys(provider.issuer);
    response.writeHead(204).end();
  } else if (request.url.startsWith('/interaction/')) {
    interact(request, response).catch((error) => {
      console.error(`interaction: ${error.stack}`);
      show(response, error.statusCode ?? 500, 'This sign-in is not open.');
    });
  } else {
    answer(request, response);
  }
});

server.listen(config.port, '127.0.0.1', () => {
  const issuer = `http://127.0.0.1:${server.address().port}`;
  useFreshKeys(issuer);
  console.log(JSON.stringify({ issuer }));
});
