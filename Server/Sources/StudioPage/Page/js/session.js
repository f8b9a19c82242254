// The connection to the program: one WebSocket, requests with answers, and pushes.

/** An error that the program reported, with its code and, for queries, its place. */
export class ProgramError extends Error {
  constructor({ code, message, ...rest }) {
    super(message);
    this.code = code;
    Object.assign(this, rest);
  }
}

const RETRIES = [200, 500, 1000, 2000];

const GOING_AWAY = 1001;

/** Connects, sends requests and delivers pushes. A lost connection is made again until the program refuses the key or reports its end. */
export class Session {
  constructor({ key, onState }) {
    this.key = key;
    this.onState = onState;
    this.waiting = new Map();
    this.listeners = new Map();
    this.next = 1;
    this.failures = 0;
    this.connect();
  }

  connect() {
    this.open = false;
    const socket = new WebSocket(`ws://${location.host}/socket`);
    this.socket = socket;
    socket.onopen = () => socket.send(JSON.stringify({ hello: this.key, protocol: 1 }));
    socket.onmessage = (event) => this.received(JSON.parse(event.data));
    socket.onclose = (event) => this.closed(event.code === GOING_AWAY);
  }

  received(message) {
    if (message.welcome) {
      this.open = true;
      this.failures = 0;
      return this.onState("open", message.welcome);
    }
    if (message.refused) {
      this.refused = message.refused;
      return this.onState("refused", message.refused);
    }
    if (message.push) return this.deliver(message);
    const request = this.waiting.get(message.id);
    if (!request) return;
    this.waiting.delete(message.id);
    if (message.error) request.reject(new ProgramError(message.error));
    else request.resolve(message.ok);
  }

  /** @param isEnd Whether the program has ended. The next one has another key, so it isn't asked. */
  closed(isEnd) {
    this.open = false;
    this.reason = isEnd ? "The program has ended." : "The connection to the program was lost.";
    for (const { reject } of this.waiting.values()) reject(new ProgramError({ code: "closed", message: this.reason }));
    this.waiting.clear();
    if (this.refused) return;
    this.onState(isEnd ? "ended" : "closed");
    if (isEnd) return;
    setTimeout(() => this.connect(), RETRIES[Math.min(this.failures++, RETRIES.length - 1)]);
  }

  /** Sends a request. The promise has the property `id`, by which the request can be cancelled. */
  ask(what, parameters = {}, { onProgress } = {}) {
    const id = this.next++;
    const promise = new Promise((resolve, reject) => {
      if (!this.open) return reject(new ProgramError({ code: "closed", message: this.reason ?? "The page isn't connected yet." }));
      this.waiting.set(id, { resolve, reject, onProgress });
      this.socket.send(JSON.stringify({ id, do: what, ...parameters }));
    });
    promise.id = id;
    return promise;
  }

  /** Sends a message that has no answer. */
  send(what, parameters) {
    if (this.open) this.socket.send(JSON.stringify({ do: what, ...parameters }));
  }

  cancel(id) {
    if (this.waiting.has(id)) this.ask("cancel", { request: id }).catch(() => {});
  }

  /** Adds a listener for pushes of a kind, and returns the function that removes it. */
  on(kind, listener) {
    const list = this.listeners.get(kind) ?? new Set();
    this.listeners.set(kind, list.add(listener));
    return () => list.delete(listener);
  }

  deliver(message) {
    if (message.push === "progress") this.waiting.get(message.id)?.onProgress?.(message);
    for (const listener of Array.from(this.listeners.get(message.push) ?? [])) listener(message);
  }
}

const STORE = "freehold-studio-key";

/** Takes the key out of the address, or from another tab of this page. Returns `null` if no tab has it. */
export async function takeKey() {
  const match = /^#key=([0-9a-fA-F]+)(?:&to=(.*))?$/.exec(location.hash);
  if (match) {
    history.replaceState(null, "", match[2] ? `#${decodeURIComponent(match[2])}` : location.pathname);
    sessionStorage.setItem(STORE, match[1]);
  }
  const key = sessionStorage.getItem(STORE) ?? (await keyOfAnotherTab());
  if (key) {
    sessionStorage.setItem(STORE, key);
    answerOtherTabs();
  }
  return key;
}

export const forgetKey = () => sessionStorage.removeItem(STORE);

function keyOfAnotherTab() {
  const channel = new BroadcastChannel(STORE);
  return new Promise((resolve) => {
    const done = (key) => { channel.close(); resolve(key); };
    channel.onmessage = (event) => { if (event.data?.key) done(event.data.key); };
    channel.postMessage({ wanted: true });
    setTimeout(() => done(null), 400);
  });
}

function answerOtherTabs() {
  const channel = new BroadcastChannel(STORE);
  channel.onmessage = (event) => {
    const key = sessionStorage.getItem(STORE);
    if (event.data?.wanted && key) channel.postMessage({ key });
  };
}

/** Sends a file to an address that the program has named. */
export async function upload(ticket, file) {
  const answer = await fetch(`/upload/${encodeURIComponent(ticket)}`, { method: "PUT", body: file });
  const result = await answer.json().catch(() => ({ error: { code: "io", message: `The program answered ${answer.status}.` } }));
  if (!answer.ok) throw new ProgramError(result.error ?? { code: "io", message: `The program answered ${answer.status}.` });
  return result;
}
