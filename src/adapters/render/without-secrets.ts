import type { ChatPlatform } from "../../core/platform/chat-platform.ts";
import type { OutgoingFile, OutgoingMessage } from "../../core/platform/outgoing.ts";
import { factsOf } from "../../core/platform-facts.ts";
import type { SecretMasking } from "../../core/text/secret-masking.ts";

/**
 * Masks the program's own tokens and keys in everything the platform receives and sends, and secret-looking values from
 * files in everything it sends.
 */
export function withoutSecrets(inner: ChatPlatform, own: SecretMasking, files: SecretMasking): ChatPlatform {
  const { hideIn, hideInBytes } = own;
  const previews = inner.previews?.bind(inner);
  const showStatus = inner.showStatus?.bind(inner);
  const hide = (text: string) => files.hide(own.hide(text));
  const fileOf = (file: OutgoingFile): OutgoingFile => {
    const data = hideInBytes(file.data);
    return { ...file, name: hide(file.name), data: file.isAllowed === true ? data : files.hideInBytes(data) };
  };
  const messageOf = (message: OutgoingMessage): OutgoingMessage => {
    const { files: attached, ...rest } = message;
    return { ...files.hideIn(hideIn(rest)), files: attached.map(fileOf) };
  };
  return {
    ...factsOf(inner),
    stop: () => inner.stop(),
    find: (thread, key, since) => inner.find(thread, key, since),
    react: (thread, messageId, sign) => inner.react(thread, messageId, sign),
    ...(inner.openPrivateThread && { openPrivateThread: inner.openPrivateThread.bind(inner) }),
    start: (receive, signal) =>
      inner.start(async (event) => files.hideIn(hideIn(await receive(hideIn(event)))), signal),
    post: (thread, message, key) => inner.post(thread, messageOf(message), key),
    edit: (posted, message) => inner.edit(posted, messageOf(message)),
    upload: (thread, file, key) => inner.upload(thread, fileOf(file), key),
    postEphemeral: (thread, personId, message) => inner.postEphemeral(thread, personId, messageOf(message)),
    ...(showStatus && { showStatus: (thread, status) => showStatus(thread, hide(status)) }),
    ...(previews && { previews: async (of, signal) => hideIn(await previews(of, signal)) }),
    fetchFile: async (attachment, maxBytes, signal) => hideInBytes(await inner.fetchFile(attachment, maxBytes, signal)),
    fetchThread: async (thread, limit, signal) => hideIn(await inner.fetchThread(thread, limit, signal)),
    missed: async (query) => hideIn(await inner.missed(query)),
  };
}
