/**
 * Tokens and keys that can be recognised by their prefix or structure, whatever the context. Sources: the rules of
 * gitleaks, TruffleHog and detect-secrets, and providers' docs.
 */
const TOKENS: readonly RegExp[] = [
  // Models. No word begins with these, so twenty further characters make a token.
  /\b(?:sk-(?:ant|proj|svcacct|service|admin|or-v1|lf)-|xai-(?=\w{40})|pplx-|nvapi-|tvly-|lsv2_[ps][kt]_|pcsk_|bedrock-api-key-|ABSK|api_org_)[\w.~+/=-]{20,2000}/gu,
  // Code and packages.
  /\b(?:github_pat_|gl(?:agent|cbt|dt|ffct|ft|imt|oas|pat|ptt|rt|rtr|soat)-|GR1348941|AT[AC]TT3xFf|ATBB|BBDC-|bkua_|CCI[PR]AT_)[\w.~+/=-]{20,2000}/gu,
  /\b(?:pypi-AgE|rubygems_|CLOJARS_|dckr_[op]at_|AKCp|cmVmdGtu|sqco_|PMA[KT]-|rdme_|HRKU-AA|CFPAT-|fig[dp]_|lin_(?:api|oauth)_)[\w.~+/=-]{20,2000}/gu,
  // Clouds and secrets.
  /\b(?:dp\.(?:ct|pt|st|sa|scim|audit)\.|hv[bs]\.|ops_eyJ|tskey-[a-z]{2,12}-|AGE-SECRET-KEY-1|sha256~|pscale_(?:tkn|oauth|pw)_)[\w.~+/=-]{20,2000}/gu,
  /\b(?:fo1_|fm[12][ar]?_|sb_secret_|apify_api_|GOCSPX-|ya29\.|1\/\/0|sntry[su]_|glc_eyJ|glsa_|NRA[AK]-|NRI[IQ]-|dt0[cs]0\d\.|rootly_)[\w.~+/=-]{20,2000}/gu,
  // Payments and messages.
  /\b(?:[rs]k_live_|ak_live_|whsec_|sq0[a-z]{3}-|FLWSECK(?:_TEST)?-|(?:shippo|duffel)_(?:live|test)_|shp(?:at|ca|pa|ss)_|ramp_sec_)[\w.~+/=-]{20,2000}/gu,
  /\b(?:xkeysib-|pat-(?:eu|na)\d-|rh-api-|sm_[aps]at_|s-s4t2|fio-u-|flb_live_|shltm_|thog-(?:key|secret)-|tk-us-)[\w.~+/=-]{20,2000}/gu,
  // Words may begin with these, but not continue with so many letters and digits.
  /\b(?:sk-|gh[opsur]_|npm_|hf_|gsk_|r8_|ntn_|secret_|pnu_|pul-|sbp_|jina_|e2b_|nfp_|dd[pw]_)[A-Za-z0-9]{28,}[\w.~+/=-]{0,2000}/gu,
  /\b(?:cf(?:[au]t|k)_|do[opr]_v1_|dapi|slk_|sq[apu]_|phx_|bb_(?:pr|ma)_|aio_|ico-|fc-|tfp_|p8e-|EZ[AT]K|5AEP861|BBFF-|NF-)[A-Za-z0-9]{28,}[\w.~+/=-]{0,2000}/gu,
  // Recognised by their structure. First, some of the platforms:
  /\b(?:xox[a-z]-(?:\d-)?\d{6,}-[\w-]{10,}|xox[a-z](?:\.xox[a-z])?-\d-[\w-]{40,}|xapp-\d-[A-Z0-9]{6,}-\d{6,}-[0-9a-f]{20,})/gu,
  /\bhooks\.slack\.com\/(?:services|workflows|triggers)\/[TE]\w{6,20}\/\w{6,40}\/[\w/]{16,}/gu,
  /\bdiscord(?:app)?\.com\/api\/(?:v\d{1,3}\/)?webhooks\/\d{17,20}\/[\w-]{60,}/gu,
  /\b(?:[MNO][\w-]{23,25}\.[\w-]{6}\.[\w-]{27,}|(?:bot)?\d{8,10}:AA[\w-]{33,}|webhook\.office\.com\/webhookb2\/[\w-]{36}@[\w@/-]{1,200})/gu,
  // Google, Microsoft, Facebook, Square.
  /\b(?:AIza[\w-]{35,}|[\w.~]{3}\dQ~[\w.~-]{31,}|(?:AccountKey|SharedAccessKey)=[\w+/]{43,}={0,2}|EAA[A-Z][A-Za-z0-9]{100,}|EAAA[\w-]{60,})/gu,
  // SendGrid, Mailchimp, Mailgun, Airtable, Harness.
  /\b(?:SG\.[\w.-]{64,}|[0-9a-f]{32}-us\d{1,2}\b|key-[0-9a-f]{32}\b|pat[A-Za-z0-9]{14}\.[0-9a-f]{64}|pat\.[\w-]{22}\.[A-Za-z0-9]{24}\.\w{1,40})/gu,
  // Cloudflare, Octopus, LaunchDarkly, Sourcegraph.
  /\b(?:v1\.0-[0-9a-f]{24}-[0-9a-f]{100,}|API-[A-Z0-9]{26}\b|(?:api|sdk)-[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[0-9a-f]{4}-[0-9a-f]{12}|sgp_(?:[0-9a-f]{16}_|local_)?[0-9a-f]{40})/gu,
  // Terraform, Mapbox, Salesforce, Zoho, GitHub's with claims in them.
  /\b(?:(?<=[A-Za-z0-9]{14})\.atlasv1\.[\w=-]{60,}|sk\.ey[\w.-]{60,}|00[A-Za-z0-9]{13}![\w.]{90,}|1000\.[0-9a-f]{32}\.[0-9a-f]{32}|gh[opsur]_\d{1,20}_ey[\w.-]{20,})/gu,
];
/** Possible tokens: shorter values, key ids, signed claims. */
const LIKELY =
  /\b(?:xox[a-z]-|xapp-|sk-|gh[opsur]_|glpat-|A(?:KIA|SIA|BIA|CCA)|LTAI|eyJ[\w-]{10,400}\.)[\w.-]{10,2000}/gu;

/** Tokens, and possible ones that are better hidden too if nobody needs them. */
export function likelyTokens(text: string): string[] {
  return [...new Set([...TOKENS, LIKELY].flatMap((shape) => text.match(shape) ?? []))];
}

export function withoutLikelyTokens(text: string, instead: string): string {
  return [...TOKENS, LIKELY].reduce((rest, shape) => rest.replace(shape, instead), text);
}

/** Words of placeholders for a value. */
const BLANK = /^\$|[<>{}*]|\.{3}|x{4}|example|placeholder|change_?me|(?:^|[^a-z])your[^a-z]/iu;

export function isBlank(value: string): boolean {
  return BLANK.test(value);
}

/** Random parts, which words joined by signs lack. */
const RANDOM = /\d|[A-Za-z]{28}|[a-z][A-Z]\w{0,20}[a-z][A-Z]/u;
/** The middle of base64 data, in which anything may occur. */
const IN_DATA = /^[A-Za-z0-9+/]{20}[+/]$/u;

/** Separators of words made of the characters of tokens. */
const BETWEEN = /[^\w.~+/=@!:-]+/u;
const SHORTEST_WORD = 20;

/** Whether the text holds a usable token. Most texts have no word long enough to be examined. */
export function holdsToken(text: string): boolean {
  const words = text.split(BETWEEN).filter(({ length }) => length >= SHORTEST_WORD);
  const long = words.join("\n");
  return TOKENS.some((shape) =>
    [...long.matchAll(shape)].some(
      ({ 0: token, index }) =>
        !isBlank(token) && RANDOM.test(token.slice(-20)) && !IN_DATA.test(long.slice(Math.max(0, index - 21), index)),
    ),
  );
}
