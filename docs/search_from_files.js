// Browsers let no page read files, which is how the theme's search gets its index. In a site that is
// opened without a server this stands in for its worker, and reads the index as a script.
if (location.protocol === 'file:') {
  window.Worker = class {
    constructor(url) { this.folder = url.slice(0, url.lastIndexOf('/') + 1); }
    postMessage(message) {
      if (message.init && document.getElementById('mkdocs-search-results')) {
        this.load('lunr.js', () => this.load('search_index.js', () => this.begin(searchIndex)));
      } else if (message.query) {
        const found = this.index.search(message.query).map(each => this.pages[each.ref]);
        this.onmessage({ data: { results: found } });
      }
    }
    load(name, then) {
      const script = document.createElement('script');
      script.src = this.folder + name;
      script.onload = then;
      document.head.append(script);
    }
    begin({ config, docs }) {
      lunr.tokenizer.separator = new RegExp(config.separator);
      this.pages = Object.fromEntries(
        docs.map(doc => [doc.location, { ...doc, summary: doc.text.slice(0, 200) }]));
      this.index = lunr(function () {
        this.ref('location');
        for (const name of ['title', 'text']) this.field(name);
        for (const doc of docs) this.add(doc);
      });
      for (const data of [{ config }, { allowSearch: true }]) this.onmessage({ data });
    }
  };
}
