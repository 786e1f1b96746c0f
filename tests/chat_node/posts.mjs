// Posts again, edits and tries again with the real `ai` and `@ai-sdk/react`, at the addresses that they choose themselves.
import { Chat } from '@ai-sdk/react';
import { DefaultChatTransport, isToolUIPart, lastAssistantMessageIsCompleteWithApprovalResponses } from 'ai';

const { BASE, OTHER, TOKEN } = process.env;
const headers = { authorization: `Bearer ${TOKEN}` };
const sleep = milliseconds => new Promise(resolve => setTimeout(resolve, milliseconds));

async function api(method, path, body, base = BASE) {
  const said = body === undefined ? {} : { body: JSON.stringify(body) };
  const reply = await fetch(`${base}/v1/${path}`, {
    method, headers: { ...headers, 'content-type': 'application/json' }, ...said,
  });
  const text = await reply.text();
  return { status: reply.status, json: text.startsWith('{') ? JSON.parse(text) : text };
}

const opened = async () => (await api('POST', 'conversations', { preset: 'chat' })).json.id;
const write = (path, content) => `/call write_file ${JSON.stringify({ path, content })}`;
const append = path => `/call run_command ${JSON.stringify({ command: `echo ran >> ${path}` })}`;

// Whatever a client posts is kept, so that it can be posted again as it was.
function chat(id, { base = BASE, delivery = 'suspend', messages = [] } = {}) {
  const errors = [], posts = [], finished = [];
  const made = new Chat({
    id, messages,
    transport: new DefaultChatTransport({
      api: `${base}/v1/conversations/${id}/chat`, headers, body: { delivery },
      fetch: (address, said) => {
        posts.push([said.method, String(address), said.body]);
        return fetch(address, said);
      },
    }),
    sendAutomaticallyWhen: lastAssistantMessageIsCompleteWithApprovalResponses,
    onError: error => errors.push(String(error)),
    onFinish: ({ message }) => finished.push(message),
  });
  return Object.assign(made, { errors, posts, finished });
}

const again = async ([, address, body], { base = BASE, ...more } = {}) => {
  const reply = await fetch(address.replace(BASE, base), {
    method: 'POST', headers: { ...headers, 'content-type': 'application/json', ...more }, body,
  });
  return { status: reply.status, text: await reply.text() };
};
const last = made => made.messages.at(-1);
const calls = message => message.parts.filter(isToolUIPart);
const cards = made => calls(last(made)).filter(part => part.state === 'approval-requested');
const shown = message => calls(message).map(part => part.state);
const stored = async (id, more = '') => (await api('GET', `conversations/${id}/messages?live=true${more}`, undefined, OTHER)).json.items;
const roles = messages => messages.map(one => one.role);

async function until(what) {
  for (const end = Date.now() + 180_000; Date.now() < end;) {
    const found = await what();
    if (found) return found;
    await sleep(25);
  }
  throw new Error(`waited too long for ${what}`);
}
const settled = made => until(() => made.status === 'ready' || made.status === 'error');
const allow = async made => {
  const before = made.finished.length;
  for (const part of cards(made)) await made.addToolApprovalResponse({ id: part.approval.id, approved: true });
  await until(() => made.finished.length > before);
  await settled(made);
};
const asked = id => until(async () => {
  const found = (await api('GET', `approvals?conversation=${id}&state=pending`)).json.items;
  return found.length ? found[0] : null;
});
const answer = ({ id, digest }, base) => api('POST', `approvals/${id}/answer`, { digest, answer: { say: 'once' } }, base);

const scenarios = {
  // The reply is lost; the client posts the very same request again, once to the other pod.
  async posted_again() {
    const id = await opened(), made = chat(id, { delivery: 'wait' });
    const sent = made.sendMessage({ text: append('again.txt') });
    const question = await asked(id);
    const [post] = made.posts;
    const repeats = [again(post), again(post, { base: OTHER }), again(post, { base: OTHER })];
    await sleep(200);
    await answer(question, OTHER);
    await sent;
    const found = await Promise.all(repeats);
    const late = await again(post, { base: OTHER });
    const other = await again([0, post[1], post[2].replace('echo ran', 'echo other')], { base: OTHER });
    return {
      statuses: [...found, late].map(one => one.status), other: other.status,
      ended: [...found, late].map(one => one.text.includes('tool-output-available')),
      roles: roles(await stored(id)), errors: made.errors,
    };
  },
  async same_key() {
    const id = await opened(), key = { 'idempotency-key': `key-${id}` };
    const body = JSON.stringify({ message: { role: 'user', parts: [{ type: 'text', text: append('key.txt') }] }, delivery: 'suspend' });
    const post = ['POST', `${BASE}/v1/conversations/${id}/chat`, body];
    const first = await again(post, key);
    const second = await again(post, { ...key, base: OTHER });
    await answer(await asked(id));
    const other = await again([0, post[1], body.replace('echo ran', 'echo other')], { ...key, base: OTHER });
    return { statuses: [first.status, second.status, other.status], roles: roles(await stored(id)) };
  },
  // A page is closed while a question waits, and another one reconnects where the SDK looks by itself.
  async default_reconnect() {
    const id = await opened(), made = chat(id, { delivery: 'wait' });
    made.sendMessage({ text: write('reconnect.txt', 'back') });
    const question = await asked(id);
    await made.stop();
    const back = chat(id, { base: OTHER, messages: (await api('GET', `conversations/${id}/messages`, undefined, OTHER)).json.items });
    const resumed = back.resumeStream();
    await until(() => back.messages.length === 2 && cards(back).length);
    const [, address] = back.posts[0];
    await answer(question);
    await resumed;
    await settled(back);
    return { address: address.replace(OTHER, '').replaceAll(id, 'ID'), shown: shown(last(back)), errors: back.errors };
  },
  async regenerate() {
    const id = await opened(), made = chat(id);
    await made.sendMessage({ text: write('regenerate.txt', 'new try') });
    const old = cards(made)[0].approval.id;
    const before = last(made).id;
    await made.regenerate({ messageId: before });
    await settled(made);
    const repeat = await again(made.posts.at(-1), { base: OTHER });
    const { state } = (await api('GET', `approvals/${old}`)).json;
    await allow(made);
    return {
      state, isOther: last(made).id !== before, repeat: repeat.text.includes(last(made).id), shown: shown(last(made)),
      roles: roles(await stored(id)), whole: roles(await stored(id, '&replaced=true')), errors: made.errors,
    };
  },
  async edit() {
    const id = await opened(), made = chat(id);
    await made.sendMessage({ text: write('edit-old.txt', 'old') });
    const old = cards(made)[0].approval.id;
    await made.sendMessage({ text: 'never mind' });
    await settled(made);
    await made.sendMessage({ text: write('edit-new.txt', 'new'), messageId: made.messages[0].id });
    await settled(made);
    const repeat = await again(made.posts.at(-1), { base: OTHER });
    const { state } = (await api('GET', `approvals/${old}`)).json;
    await allow(made);
    const foreign = await again([0, made.posts[0][1], JSON.stringify({
      message: { id: 'foreign', role: 'user', parts: [{ type: 'text', text: 'x' }] }, messageId: 'foreign',
    })]);
    return {
      state, repeat: repeat.status, foreign: foreign.status, shown: shown(last(made)),
      roles: roles(await stored(id)), whole: roles(await stored(id, '&replaced=true')), errors: made.errors,
    };
  },
};

const results = {};
for (const [name, scenario] of Object.entries(scenarios)) results[name] = await scenario();
console.log(JSON.stringify(results));
process.exit(0);
