// Package browser tests the page of package web in Chromium, as a visitor sees it. It is a
// separate module, so that programs that import simdb do not depend on a browser driver.
//
// Without Chromium the tests are skipped, with a message, or fail if CI is set.
package browser
