"""A notification daemon for tests: prints a line of JSON for each that is sent.

Runs on the session bus; prints "ready" once it listens.
"""
import json

import dbus
import dbus.service
from dbus.mainloop.glib import DBusGMainLoop
from gi.repository import GLib

NAME = "org.freedesktop.Notifications"
DBusGMainLoop(set_as_default=True)
bus = dbus.SessionBus()
owned = dbus.service.BusName(NAME, bus, do_not_queue=True)


class Daemon(dbus.service.Object):
    count = 0

    @dbus.service.method(NAME, in_signature="susssasa{sv}i", out_signature="u")
    def Notify(self, app, _replaces, _icon, summary, body, _actions, hints, _timeout):
        Daemon.count += 1
        print(json.dumps({"app": app, "summary": summary, "body": body,
                          "urgency": int(hints.get("urgency", 1))}), flush=True)
        return dbus.UInt32(Daemon.count)

    @dbus.service.method(NAME, out_signature="as")
    def GetCapabilities(self):
        return ["body", "body-markup"]

    @dbus.service.method(NAME, out_signature="ssss")
    def GetServerInformation(self):
        return ("test", "sbx", "1", "1.2")

    @dbus.service.method(NAME, in_signature="u")
    def CloseNotification(self, _id):
        pass


daemon = Daemon(bus, "/org/freedesktop/Notifications")
print("ready", flush=True)
GLib.MainLoop().run()
