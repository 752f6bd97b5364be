// Which view is shown: the opening, or an article over it, as the address says behind its "#".

const $ = (id) => document.getElementById(id);

/**
 * Show the view that the address names. *views* maps a name to a function that is given the rest
 * and returns {title, nodes}, in time; attempt(work, …) does it and tells what goes wrong.
 */
export class Views {
  constructor(views, attempt) {
    this.views = views;
    this.attempt = attempt;
    this.shown = ""; // the address of the article that is shown
    this.asked = 0;
    addEventListener("hashchange", () => this.follow());
    $("leave-article").addEventListener("click", () => this.close());
  }

  get isArticle() {
    return this.shown !== "";
  }

  /** Show the view *name* of *given*, or again if it is shown already. */
  open(name, given = "") {
    const address = `#${name}${given && `/${encodeURIComponent(given)}`}`;
    if (location.hash === address) this.follow();
    else location.hash = address;
  }

  close() {
    location.hash = "";
  }

  follow() {
    const [name, given = ""] = location.hash.slice(1).split("/");
    if (name in this.views) this.attempt(() => this.#show(name, decodeURIComponent(given)));
    else this.#hide();
  }

  async #show(name, given) {
    this.asked += 1;
    const mine = this.asked;
    const { title, nodes } = await this.views[name](given);
    if (mine !== this.asked) return;
    const isOther = this.shown !== location.hash;
    this.shown = location.hash;
    $("article-body").replaceChildren(...nodes);
    document.body.dataset.view = name;
    $("article").hidden = false;
    // The opening lies below: neither the tab key nor a screen reader enters it.
    $("opening").inert = true;
    $("article").setAttribute("aria-label", title);
    if (isOther) {
      $("article").scrollTop = 0;
      scrollTo(0, 0);
      $("article").focus();
    }
    document.body.dataset.article = location.hash;
  }

  #hide() {
    this.asked += 1;
    if (!this.isArticle) return;
    this.shown = "";
    $("article").hidden = true;
    $("opening").inert = false;
    delete document.body.dataset.view;
    delete document.body.dataset.article;
  }
}
