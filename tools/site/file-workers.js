// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Browsers start no worker for a page that is opened as a file. The search of the theme
// needs one: here it is a frame, with the two calls that a worker has.
"use strict";
if (location.protocol === "file:") {
  self.Worker = class extends EventTarget {
    constructor(url) {
      super();
      const frame = document.createElement("iframe");
      frame.hidden = true;
      document.body.append(frame);
      const inner = (this.inner = frame.contentWindow);
      this.waiting = []; // until the script is there
      inner.postMessage = (data) => this.dispatchEvent(new MessageEvent("message", { data }));
      const load = (source) =>
        new Promise((done) => {
          const script = inner.document.createElement("script");
          script.src = source;
          script.onload = done;
          inner.document.body.append(script);
        });
      inner.importScripts = (...sources) =>
        sources.reduce((before, source) => before.then(() => load(source)), Promise.resolve());
      load(new URL(url, location.href).href).then(() => {
        const waiting = this.waiting;
        this.waiting = null;
        for (const data of waiting) this.postMessage(data);
      });
    }
    postMessage(data) {
      if (this.waiting) this.waiting.push(data);
      else this.inner.dispatchEvent(new this.inner.MessageEvent("message", { data }));
    }
    terminate() {
      this.inner.frameElement.remove();
    }
  };
}
