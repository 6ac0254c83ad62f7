// Secrets in a text that is about to leave: found by their shape, by the word
// that stands before them, and by the name of the member that holds them. Only
// the value is replaced, so that JSON stays JSON.

export const MASK = "[secret]";

// ---- shapes: what the vendors' keys look like -----------------------------------------

const VENDORS = [
  /sk-[\w-]{20,4000}/,                                      // OpenAI, Anthropic, OpenRouter, DeepSeek, Langfuse
  /ek_[A-Za-z0-9]{20,4000}/,                                // OpenAI Realtime, for a client
  /AIza[\w-]{30,4000}/, /AQ\.[\w-]{30,4000}/, /ya29\.[\w.-]{20,4000}/, /GOCSPX-[\w-]{20,4000}/, /1\/\/0[\w-]{20,4000}/, // Google
  /auth_tokens\/[\w-]{20,4000}/,                            // Gemini Live, for a client
  /A(?:KIA|SIA|BIA|CCA)[0-9A-Z]{16}(?![A-Za-z0-9+/=])/, // AWS
  /gh[pousr]_[A-Za-z0-9]{20,4000}/, /github_pat_\w{20,4000}/,
  /gl(?:pat|dt|rt|cbt|ptt|ft|soat|imt|agent|oas)-[\w-]{16,4000}/,
  /xox[abeoprs]-[\w-]{10,4000}/, /xapp-\d-[\w-]{10,4000}/,
  /[srp]k_(?:live|test)_[A-Za-z0-9]{10,4000}/, /whsec_[A-Za-z0-9+/]{16,4000}=*/, // Stripe
  /SG\.[\w-]{16,4000}\.[\w-]{16,4000}/, /key-[0-9a-f]{32}\b/, /[0-9a-f]{32}-us\d{1,2}\b/, // SendGrid, Mailgun, Mailchimp
  /SK[0-9a-f]{32}\b/,                                   // Twilio
  /npm_[A-Za-z0-9]{30,4000}/, /pypi-[\w-]{40,4000}/, /rubygems_[0-9a-f]{40,4000}/, /cio[A-Za-z0-9]{32}\b/, /dckr_(?:pat|oat)_[\w-]{20,4000}/,
  /hf_[A-Za-z0-9]{30,4000}/, /r8_[A-Za-z0-9]{30,4000}/, /gsk_[A-Za-z0-9]{30,4000}/, /xai-[A-Za-z0-9]{40,4000}/, /pplx-[A-Za-z0-9]{30,4000}/,
  /fw_[A-Za-z0-9]{20,4000}/, /tgp_v1_[\w-]{30,4000}/, /nvapi-[\w-]{40,4000}/, /lsv2_(?:pt|sk)_\w{30,4000}/, /tvly-[\w-]{20,4000}/,
  /pcsk_\w{20,4000}/, /sk_[0-9a-f]{40,4000}/, /csk-[a-z0-9]{30,4000}/, /dapi[0-9a-f]{32}\b/,
  /do[opr]_v1_[0-9a-f]{40,4000}/, /HRKU-[\w-]{30,4000}/, /shp(?:at|ca|pa|ss|tka|ua)_[A-Fa-f0-9]{32}\b/,
  /sq0(?:atp|csp|idp)-[\w-]{20,4000}/, /EAA[A-Za-z0-9]{80,250}(?![A-Za-z0-9+/=])/, // Square, Meta
  /lin_(?:api|oauth)_[A-Za-z0-9]{30,4000}/, /ntn_[A-Za-z0-9]{40,4000}/, /secret_[A-Za-z0-9]{40,4000}/, /figd_[\w-]{30,4000}/,
  /pat[A-Za-z0-9]{14}\.[0-9a-f]{40,4000}/, /AT[AC]TT3[\w=-]{50,4000}/, /sl\.[\w-]{50,4000}/, // Airtable, Atlassian, Dropbox
  /PMAK-[0-9a-f]{24}-[0-9a-f]{34}/, /NRAK-[A-Z0-9]{27}\b/, /sntry[su]_[\w=-]{30,4000}/, /gl(?:sa|c)_[\w=-]{30,4000}/,
  /dp\.(?:pt|st|sa|ct|scim|audit)\.[\w.-]{20,4000}/, /hv[sb]\.[\w-]{20,4000}/, /[A-Za-z0-9]{14}\.atlasv1\.[\w-]{40,4000}/, /pul-[0-9a-f]{40}\b/,
  /FlyV1 f[mo]\d_[\w+/=,-]{20,4000}/, /nfp_[A-Za-z0-9]{30,4000}/, /vc[a-z]_[A-Za-z0-9]{20,4000}/, /sbp_[0-9a-f]{40}\b/, /sb_secret_[\w-]{20,4000}/,
  /pscale_(?:tkn|pw|oauth)_[\w.-]{20,4000}/, /napi_[a-z0-9]{40,4000}/, /v1\.0-[0-9a-f]{24}-[0-9a-f]{100,4000}/,
  /AGE-SECRET-KEY-1[0-9A-Z]{50,4000}/, /ops_eyJ[\w-]{40,4000}/,
  /[MNO][\w-]{23,26}\.[\w-]{6}\.[\w-]{27,4000}/, /\d{8,10}:AA[\w-]{33}\b/, // Discord, Telegram
  /eyJ[\w-]{8,4000}\.[\w-]{8,4000}\.[\w-]{0,4000}(?:\.[\w-]{1,4000}\.[\w-]{1,4000})?/, // JSON web tokens
];
/** Where a word begins: not inside another one, unless that is the `n` of a line break written as \\n. */
const START = String.raw`(?:(?<![\w+-])|(?<=\\[nrt]))`;
const SHAPES = new RegExp(`${START}(?:${VENDORS.map(({ source }) => source).join("|")})`, "g");

// ---- places: the group `secret` of each, with the `d` flag to know where it stands ------

const SLASHES = String.raw`:(?:\\{0,15}\/){2}`;
const place = (source, flags = "dgi") => new RegExp(source, flags);
const PLACES = [
  // The body of a private key; line breaks may be written as \n.
  /-----BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----(?<secret>(?:[A-Za-z0-9+/=\s:,().]|\\+[nrt]|-(?!----))+)/dg,
  place(String.raw`${START}(?:Bearer|Basic)[ \t]+(?<random>[\w.~+/=-]{8,})`),
  place(String.raw`${START}(?:proxy-)?authorization[ \t]*[:=][ \t]*["']?(?:[A-Za-z][\w-]{0,40}[ \t]+)?(?<secret>[^\s"'\\,;<>{}()[\]]{4,})`),
  place(String.raw`${START}(?:set-)?cookie[ \t]*:[ \t]*(?<secret>[^"'\\\r\n]+)`),
  place(String.raw`${START}x-(?:[\w-]{1,40}-)?(?:key|token|secret)[ \t]*:[ \t]*(?<secret>[^\s"'\\,;<>{}()[\]]{6,})`),
  place(String.raw`${START}curl\b[^\r\n\\]{0,2000}?\s(?:-u|--user)[ =]?\\{0,15}["']?[^\s:"'\\]{1,200}:(?<secret>[^\s"'\\]+)`),
  place(String.raw`${START}[a-z][a-z0-9+.-]{1,20}${SLASHES}[^\s/:@"'\\?#]{0,200}:(?<secret>[^\s/@"'\\]{1,500})@`),
  place(String.raw`${START}https?${SLASHES}(?<secret>[\w-]{20,500})@`),
  place(String.raw`hooks\.slack\.com\\{0,15}\/(?:services|workflows|triggers)\\{0,15}\/(?<secret>[\w/\\-]{20,200})(?<!\\)`),
  place(String.raw`discord(?:app)?\.com\\{0,15}\/api\\{0,15}\/webhooks\\{0,15}\/\d{1,30}\\{0,15}\/(?<secret>[\w-]{20,200})`),
];

// ---- names: what is secret because of what it is called ----------------------------------

const bare = (name) => name.toLowerCase().replace(/[^a-z0-9]/g, "");
const NAMED = new RegExp(`(?:${[
  "password", "passwd", "passphrase", "secret", "apikey", "apitoken", "secretkey", "accesskey", "privatekey", "signingkey", "encryptionkey",
  "masterkey", "accountkey", "sharedaccesskey", "subscriptionkey", "accesstoken", "refreshtoken", "idtoken", "authtoken", "sessiontoken",
  "securitytoken", "bearertoken", "bottoken", "personaltoken", "secretaccesskey", "clientsecret", "clientassertion", "connectionstring",
].join("|")})$`);
const EXACT = new Set(["pwd", "pass", "authorization", "proxyauthorization", "cookie", "setcookie", "cookies", "jwt", "xauthtoken", "credential",
  "sastoken", "bearer", "authorizationheader", "otpsecret"]);
/** Names of much that is no secret, too: there the value must look like one. */
const MAYBE = /(?:^auth|^token|token|^sig|signature|^hmac|accesskeyid|^credentials)$/;
const MAYBE_IN_ADDRESS = /(?:^key|^code|^sid|^session|^sessionid|signature|credential)$/;
const HARMLESS = /^(?:next|previous|prev|page|nextpage|pagination|continuation|sync|cancel|cancellation|stop|eos|bos|pad|mask|unk|start|end|thought|function|method|type|idempotency)/;
/** `hasPassword` tells of one and is none. */
const TELLS = /^(?:has|is|show|hide|needs|requires?|allow|forgot|min|max|use)(?:[_-]|(?=[A-Z]))/;

const isNamed = (name) => name.length < 80 && (NAMED.test(bare(name)) || EXACT.has(bare(name))) && !TELLS.test(name);
const isMaybe = (name) => name.length < 80 && MAYBE.test(bare(name)) && !HARMLESS.test(bare(name));

/** What stands for a value in documents, schemas and logs that were cleaned before. */
const STAND_IN = new RegExp(`^(?:${[
  String.raw`\s*`, "true|false|null|none|undefined|nil|string|str|text|number|integer|boolean|object|array|any|password|secret|token|api[ _-]?key",
  "required|optional|missing|absent|empty|unset|redacted|removed|hidden|masked|filtered|changeme|example|placeholder|bearer|basic",
  String.raw`[*•.xX#_-]+`, String.raw`<[^<>]*>`, String.raw`\[[^\[\]]*\]`, String.raw`\{[^{}]*\}`, String.raw`\{\{[^{}]*\}\}`,
  String.raw`\$\{[^{}]*\}`, String.raw`\$[A-Za-z_]\w*`, String.raw`%[sd]`, "your[ _-].*", String.raw`process\.env\..*|os\.environ.*`,
].join("|")})$`, "i");

/** Long and mixed, as something made by chance is and a word is not. */
function looksRandom(text) {
  if (text.length < 12 || /\s/.test(text)) return false;
  if (/^[\w-]*[a-z]-[a-z][\w-]*$/.test(text) && !/\d/.test(text)) return false;
  const kinds = [/[a-z]/, /[A-Z]/, /\d/].filter((kind) => kind.test(text)).length;
  return kinds >= 2 && (/\d/.test(text) || text.length >= 20) && new Set(text).size >= 8;
}

/** A word after "Bearer" or "Basic" that no sentence would hold. */
const isCredential = (text) => /\d|[a-z][A-Z]|=$|_/.test(text) || text.length >= 24;

// ---- members: "name": value, in JSON, in JSON inside strings, and in Python's spelling ---

const MEMBER = /(?<!\\)(?<quote>\\{0,15}["'])(?<name>[^"'\\]{1,80})\k<quote>\s*:\s*/g;
const PAIR = /(?<!\\)(?<quote>\\{0,15}["'])(?:name|key|header)\k<quote>\s*:\s*\k<quote>(?<name>[^"'\\]{1,80})\k<quote>\s*,\s*\k<quote>value\k<quote>\s*:\s*/g;
const ASSIGNED = new RegExp(String.raw`${START}(?<name>[A-Za-z_][\w.-]{1,79})=(?<value>[^\s&"'\x60\\,;<>()[\]{}]+)`, "g");
const PARAMETER = /(?:[?&;]|\\u0026|&amp;|%26)(?<name>[\w.-]{2,60})=(?<value>[^\s&#"'`\\<>;]+)/g;

/** Where a string ends that began with this quote: `escapes` is the depth of JSON inside strings. */
function endOfString(text, from, quote) {
  const sign = quote.at(-1);
  const escapes = quote.length - 1;
  for (let at = text.indexOf(sign, from); at >= 0; at = text.indexOf(sign, at + 1)) {
    let run = 0;
    while (at - run > from && text[at - run - 1] === "\\") run += 1;
    if (escapes === 0 ? run % 2 === 0 : run === escapes) return at - escapes;
    if (escapes > 0 && run < escapes) return at - run;
  }
  return text.length;
}

function* stringsOf(text, from, quote, many) {
  let at = from;
  do {
    if (!text.startsWith(quote, at)) return;
    const end = endOfString(text, at + quote.length, quote);
    yield [at + quote.length, end];
    at = end + quote.length;
    const gap = /^\s*,\s*/.exec(text.slice(at, at + 100));
    at += gap ? gap[0].length : text.length;
  } while (many && at < text.length);
}

/** The part of a header's value that is secret: what follows the name of the scheme. */
const schemeOf = (value) => /^(?:bearer|basic|digest|token|apikey|negotiate)\s+/i.exec(value)?.[0].length ?? 0;

function* membersIn(text, pattern) {
  for (const { 0: whole, index, groups: { quote, name } } of text.matchAll(pattern)) {
    const from = index + whole.length;
    const named = isNamed(name) || isNamed(name.replace(/s$/, ""));
    if (!named && !isMaybe(name)) continue;
    const list = named && text[from] === "[" ? /^\[\s*/.exec(text.slice(from, from + 100))[0].length : 0;
    for (const [start, end] of stringsOf(text, from + list, quote, list > 0)) {
      const value = text.slice(start, end);
      const skip = schemeOf(value);
      const secret = value.slice(skip);
      if (named ? !STAND_IN.test(secret) : looksRandom(secret)) yield [start + skip, end, MASK];
    }
    const number = named && /^-?\d[\d.]{3,}(?![\w.])/.exec(text.slice(from, from + 60))?.[0];
    if (number) yield [from, from + number.length, quote + MASK + quote];
  }
}

// ---- all together ---------------------------------------------------------------------------

function* spansOf(text) {
  for (const { 0: found, index } of text.matchAll(SHAPES)) yield [index, index + found.length, MASK];
  for (const where of PLACES) {
    for (const { groups, indices } of text.matchAll(where)) {
      const span = indices.groups.secret ?? indices.groups.random;
      const value = groups.secret ?? groups.random;
      if (groups.random === undefined ? !STAND_IN.test(value) : isCredential(value)) yield [...span, MASK];
    }
  }
  yield* membersIn(text, MEMBER);
  yield* membersIn(text, PAIR);
  for (const { 0: whole, index, groups: { name, value } } of text.matchAll(ASSIGNED)) {
    if (isNamed(name) && !STAND_IN.test(value)) yield [index + whole.length - value.length, index + whole.length, MASK];
  }
  for (const { 0: whole, index, groups: { name, value } } of text.matchAll(PARAMETER)) {
    const plain = value.replace(/%[0-9A-Fa-f]{2}/g, "");
    const secret = isNamed(name) ? !STAND_IN.test(value) : (isMaybe(name) || MAYBE_IN_ADDRESS.test(bare(name))) && looksRandom(plain);
    if (secret) yield [index + whole.length - value.length, index + whole.length, MASK];
  }
}

/** `text` with every secret replaced, and how many there were. */
export function mask(text) {
  const spans = [...spansOf(text)].sort(([a, x], [b, y]) => a - b || y - x);
  const parts = [];
  let count = 0;
  let at = 0;
  for (const [from, to, by] of spans) {
    if (from >= at) {
      parts.push(text.slice(at, from), by);
      count += 1;
    }
    at = Math.max(at, to);  // two that overlap are one
  }
  parts.push(text.slice(at));
  return { text: parts.join(""), count };
}
