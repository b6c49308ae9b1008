#!/usr/bin/env bash
# Brings in the two tools that a few tests use beside npm's: a browser for the pages and promtool for
# the alert rules. Those tests skip where the tool is absent, so nothing here is an error.
set -u

can_install() { [ "$(id -u)" = 0 ] && command -v apt-get >/dev/null; }

# bring <program> <Debian package> <what is skipped without it>
bring() {
  command -v "$1" >/dev/null && return
  if can_install; then
    echo "test tools: installing $2 for $1"
    { apt-get update -qq && apt-get install -y -qq --no-install-recommends "$2"; } >/dev/null 2>&1
  fi
  command -v "$1" >/dev/null || echo "test tools: no $1 here, so $3 are skipped"
}

export DEBIAN_FRONTEND=noninteractive
bring chromium chromium 'the tests of the pages in a browser'
bring promtool prometheus 'the tests of the alert rules by promtool'
exit 0
