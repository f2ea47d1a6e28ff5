// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {TripRecords} from "../../src/escrow/TripRecords.sol";
import {EscrowFixture} from "../support/EscrowFixture.sol";
import {vm} from "../support/Vm.sol";

/// Trips of three funders with bookings of three vendors, in any order of steps, while time passes, recipients are blocked
/// and unblocked, and money is sent to the escrow by mistake. It keeps its own books of who is owed what.
contract EscrowHandler is EscrowFixture {
    struct BookingRef {
        bytes32 tripId;
        bytes32 bookingId;
    }

    uint256 private constant LARGEST_BUDGET = 1e12;
    uint256 private constant TRIP_SECONDS = 10 days;
    uint256 private constant LATE = 4_000_000_000;
    address private constant OTHER_SERVICE = address(0x5e8);
    uint256 private constant MOST_TRIES = 4;

    bytes32[] private trips;
    BookingRef[] private bookings;
    mapping(bytes32 tripId => bytes32[]) private bookingIds;
    /// The trip of the last step.
    bytes32 public touched;
    address[] private accounts;
    mapping(address account => uint256) public owed;
    mapping(bytes32 tripId => uint256) public budgets;
    mapping(bytes32 tripId => uint256) public spent;
    mapping(bytes32 tripId => address) public guests;
    uint256 public donated;
    uint256 public endedTwice;
    uint256 public claimedTwice;
    uint256 public overspent;
    uint256 public operatedByStrangers;
    uint256 public releasedEarly;
    uint256 private nextId = 1;
    /// Of its own, so that nothing hangs on how forge carries time from one call of a run to the next.
    uint256 private time = NOW;

    constructor() {
        setUp();
        accounts = [ALICE, BOB, address(wallet), SERVICE, OTHER_SERVICE, vendorOf(0), vendorOf(1), vendorOf(2)];
    }

    modifier inTime() {
        vm.warp(time);
        _;
    }

    function fund(uint256 seed, uint256 budget) external inTime {
        newTrip(seed, budget);
    }

    function claim(uint256 seed, address guest) external inTime {
        vm.assume(guest != address(0));
        bytes32 tripId = newTrip(seed, seed);
        escrow.claim(tripId, guest, time, signClaim(CLAIM_KEY, tripId, guest, time));
        guests[tripId] = guest;
    }

    function reserveSome(uint256 seed, uint256 amount) external inTime {
        newBooking(seed, amount);
    }

    function commitSome(uint256 seed, uint256 cost, uint256 markup, uint256 fee) external inTime {
        BookingRef memory ref = bookingIn(seed, TripRecords.BookingState.Reserved, true);
        commitAs(ref, seed, cost, markup, fee);
    }

    function confirmSome(uint256 seed) external inTime {
        BookingRef memory ref = bookingIn(seed, TripRecords.BookingState.Committed, false);
        confirm(ref.tripId, ref.bookingId);
    }

    function settleSome(uint256 seed) external inTime {
        BookingRef memory ref = bookingIn(seed, TripRecords.BookingState.Confirmed, false);
        settle(ref.tripId, ref.bookingId);
        bookSettlement(ref);
    }

    function cancelSome(uint256 seed) external inTime {
        BookingRef memory ref = bookingIn(seed, TripRecords.BookingState(1 + seed % 3), false);
        cancel(ref.tripId, ref.bookingId);
        bookCancellation(ref);
    }

    function returnSome(uint256 seed) external inTime {
        BookingRef memory ref = bookingIn(seed, TripRecords.BookingState(1 + seed % 2), true);
        if (escrow.trips(ref.tripId).isClosed) ref = newBooking(seed, seed);
        returnToTrip(ref.tripId, ref.bookingId);
    }

    function logSome(uint256 seed, uint256 fee) external inTime {
        bytes32 tripId = liveTrip(seed);
        uint256 amount = fee % (escrow.trips(tripId).free + 1);
        logAction(tripId, bytes32(nextId++), amount);
        pay(tripId, escrow.trips(tripId).funder, amount);
    }

    function closeSome(uint256 seed) external inTime {
        bytes32 tripId = liveTrip(seed);
        uint256 free = escrow.trips(tripId).free;
        close(tripId);
        pay(tripId, escrow.trips(tripId).funder, free);
    }

    function releaseSome(uint256 seed, address caller) external inTime {
        bytes32 tripId = liveTrip(seed);
        passTo(escrow.trips(tripId).expiresAt);
        uint256 free = escrow.trips(tripId).free;
        vm.prank(caller);
        escrow.release(tripId);
        pay(tripId, escrow.trips(tripId).funder, free);
    }

    function releaseBookingSome(uint256 seed, address caller) external inTime {
        BookingRef memory ref = bookingIn(seed, TripRecords.BookingState(1 + seed % 3), false);
        passTo(escrow.trips(ref.tripId).expiresAt + GRACE);
        bool isConfirmed = stateOf(ref.tripId, ref.bookingId) == TripRecords.BookingState.Confirmed;
        vm.prank(caller);
        escrow.releaseBooking(ref.tripId, ref.bookingId);
        if (isConfirmed) bookSettlement(ref);
        else bookCancellation(ref);
    }

    function takeBackReservation(uint256 seed) external inTime {
        BookingRef memory ref = bookingIn(seed, TripRecords.BookingState.Reserved, false);
        passTo(escrow.trips(ref.tripId).expiresAt);
        vm.prank(escrow.trips(ref.tripId).funder);
        escrow.releaseBooking(ref.tripId, ref.bookingId);
        bookCancellation(ref);
    }

    /// Blocks somebody, or unblocks him and pays what waited.
    function blockOrPay(uint256 seed) external inTime {
        address account = accounts[seed % accounts.length];
        if (token.isBlacklisted(account)) {
            unblock(account);
            if (escrow.withdrawable(account) > 0) escrow.withdraw(account);
        } else {
            blockAccount(account);
        }
    }

    function changeFeeRecipient(uint256 seed) external inTime {
        vm.prank(OWNER);
        escrow.setServiceFeeRecipient(seed % 2 == 0 ? SERVICE : OTHER_SERVICE);
    }

    function donate(uint256 amount) external inTime {
        uint256 value = 1 + amount % LARGEST_BUDGET;
        mintTo(address(escrow), value);
        donated += value;
    }

    /// Whatever has ended is asked to end again, in every way there is.
    function attemptSecondEnd(uint256 seed) external inTime {
        (bool isFound, BookingRef memory ref) = endedBooking(seed);
        vm.assume(isFound);
        if (works(OPERATOR, abi.encodeCall(escrow.returnToTrip, (ref.tripId, ref.bookingId, "")))) endedTwice++;
        passTo(escrow.trips(ref.tripId).expiresAt + GRACE);
        if (works(OPERATOR, abi.encodeCall(escrow.settle, (ref.tripId, ref.bookingId)))) endedTwice++;
        if (works(OPERATOR, abi.encodeCall(escrow.cancel, (ref.tripId, ref.bookingId, "")))) endedTwice++;
        if (works(STRANGER, abi.encodeCall(escrow.releaseBooking, (ref.tripId, ref.bookingId)))) endedTwice++;
        if (works(OPERATOR, abi.encodeCall(escrow.confirm, (ref.tripId, ref.bookingId, "")))) endedTwice++;
    }

    function attemptSecondClaim(uint256 seed, address guest) external inTime {
        bytes32 tripId = newTrip(seed, seed);
        escrow.claim(tripId, GUEST, time, signClaim(CLAIM_KEY, tripId, GUEST, time));
        guests[tripId] = GUEST;
        bytes memory signature = signClaim(CLAIM_KEY, tripId, guest, time + 1);
        if (works(guest, abi.encodeCall(escrow.claim, (tripId, guest, time + 1, signature)))) claimedTwice++;
    }

    /// Here and below an attempt ends when something works: what came after could revert, and the count with it.
    function attemptOverspending(uint256 seed, uint256 more) external inTime {
        bytes32 tripId = liveTrip(seed);
        uint256 wanted = uint256(escrow.trips(tripId).free) + 1 + more % type(uint128).max;
        bool worked = works(OPERATOR, abi.encodeCall(escrow.reserve, (tripId, bytes32(nextId++), wanted)))
            || works(OPERATOR, abi.encodeCall(escrow.logAction, (tripId, bytes32(nextId++), "", wanted)));
        if (!worked) {
            BookingRef memory ref = newBooking(seed, more);
            uint256 reserved = escrow.bookings(ref.tripId, ref.bookingId).reserved;
            uint256 cost = 1 + seed % reserved;
            uint256 rest = reserved - cost + 1 + more % type(uint128).max;
            bytes memory commitment =
                abi.encodeCall(escrow.commit, (ref.tripId, ref.bookingId, VENDOR, cost, rest, 0, ""));
            worked = works(OPERATOR, commitment);
        }
        if (worked) overspent++;
    }

    function attemptWithoutTheOperator(uint256 seed, address caller) external inTime {
        vm.assume(caller != OPERATOR);
        BookingRef memory ref = newBooking(seed, seed);
        (bytes32 tripId, bytes32 bookingId) = (ref.tripId, ref.bookingId);
        bool worked = works(caller, abi.encodeCall(escrow.commit, (tripId, bookingId, VENDOR, 1, 0, 0, "")))
            || works(caller, abi.encodeCall(escrow.cancel, (tripId, bookingId, "")))
            || works(caller, abi.encodeCall(escrow.returnToTrip, (tripId, bookingId, "")))
            || works(caller, abi.encodeCall(escrow.close, (tripId)));
        if (!worked) {
            commitAs(ref, seed, seed, seed, seed);
            worked = works(caller, abi.encodeCall(escrow.confirm, (tripId, bookingId, "")));
        }
        if (!worked) {
            confirm(tripId, bookingId);
            worked = works(caller, abi.encodeCall(escrow.settle, (tripId, bookingId)));
        }
        if (worked) operatedByStrangers++;
    }

    /// Before the expiry nobody but the operator, and before the end of the grace nobody ends what is committed.
    function attemptEarlyRelease(uint256 seed, address caller) external inTime {
        BookingRef memory ref = newBooking(seed, seed);
        bytes memory ending = abi.encodeCall(escrow.releaseBooking, (ref.tripId, ref.bookingId));
        address funder = escrow.trips(ref.tripId).funder;
        bool worked = works(funder, ending) || works(caller, abi.encodeCall(escrow.release, (ref.tripId)));
        if (!worked) {
            commitAs(ref, seed, seed, seed, seed);
            passTo(escrow.trips(ref.tripId).expiresAt + seed % GRACE);
            worked = works(funder, ending) || works(caller, ending);
        }
        if (worked) releasedEarly++;
    }

    /// After the last grace, and without the operator: everything is ended and paid to whoever may be paid.
    function endEverything() external {
        vm.warp(LATE);
        for (uint256 index = 0; index < trips.length; index++) {
            uint256 free = escrow.trips(trips[index]).free;
            vm.prank(STRANGER);
            escrow.release(trips[index]);
            pay(trips[index], escrow.trips(trips[index]).funder, free);
        }
        for (uint256 index = 0; index < bookings.length; index++) {
            BookingRef memory ref = bookings[index];
            TripRecords.BookingState state = stateOf(ref.tripId, ref.bookingId);
            if (state > TripRecords.BookingState.Confirmed) continue;
            vm.prank(STRANGER);
            escrow.releaseBooking(ref.tripId, ref.bookingId);
            if (state == TripRecords.BookingState.Confirmed) bookSettlement(ref);
            else bookCancellation(ref);
        }
    }

    function payEverybody() external {
        for (uint256 index = 0; index < accounts.length; index++) {
            unblock(accounts[index]);
            if (escrow.withdrawable(accounts[index]) == 0) continue;
            vm.prank(STRANGER);
            escrow.withdraw(accounts[index]);
        }
    }

    function balanceAndLiability() external view returns (uint256 balance, uint256 liability) {
        return (token.balanceOf(address(escrow)), escrow.totalLiability());
    }

    /// What is free and held in all trips, and what waits for all accounts.
    function sums() external view returns (uint256 free, uint256 held, uint256 waiting) {
        for (uint256 index = 0; index < trips.length; index++) {
            TripRecords.Trip memory trip = escrow.trips(trips[index]);
            free += trip.free;
            held += trip.held;
        }
        for (uint256 index = 0; index < accounts.length; index++) {
            waiting += escrow.withdrawable(accounts[index]);
        }
    }

    function requireTripsInOrder() external view {
        for (uint256 index = 0; index < trips.length; index++) {
            requireTripInOrder(trips[index]);
        }
    }

    /// Its budget is what is free, held and spent; held is what its open bookings reserved; its guest stays.
    function requireTripInOrder(bytes32 tripId) public view {
        uint256 held = 0;
        for (uint256 index = 0; index < bookingIds[tripId].length; index++) {
            TripRecords.Booking memory booking = escrow.bookings(tripId, bookingIds[tripId][index]);
            uint256 parts = uint256(booking.vendorAmount) + booking.markup + booking.serviceFee;
            vm.assertTrue(parts <= booking.reserved, "committed no more than reserved");
            if (booking.state <= TripRecords.BookingState.Confirmed) held += booking.reserved;
        }
        TripRecords.Trip memory trip = escrow.trips(tripId);
        vm.assertEq(trip.held, held, "held");
        vm.assertEq(uint256(trip.free) + held + spent[tripId], budgets[tripId], "budget");
        vm.assertEq(trip.guest, guests[tripId], "guest");
    }

    /// Everybody has, or may withdraw, what the steps were for him.
    function requireEverybodyHasHis() external view {
        for (uint256 index = 0; index < accounts.length; index++) {
            address account = accounts[index];
            vm.assertEq(token.balanceOf(account) + escrow.withdrawable(account), owed[account], "owed");
        }
    }

    function newTrip(uint256 seed, uint256 budget) private returns (bytes32 tripId) {
        address funder = accounts[seed % 3];
        uint256 key = [ALICE_KEY, BOB_KEY, KEEPER_KEY][seed % 3];
        bool wasBlocked = token.isBlacklisted(funder);
        if (wasBlocked) unblock(funder);
        TripRecords.Terms memory terms = termsOf(funder, 1_000 + budget % LARGEST_BUDGET, bytes32(nextId++));
        terms.expiresAt = uint64(time + TRIP_SECONDS);
        tripId = fund(terms, key);
        if (wasBlocked) blockAccount(funder);
        trips.push(tripId);
        budgets[tripId] = terms.budget;
        touched = tripId;
    }

    /// One with money and time left among a few; else a new one.
    function liveTrip(uint256 seed) private returns (bytes32) {
        for (uint256 index = 0; index < MOST_TRIES && index < trips.length; index++) {
            touched = trips[addmod(seed, index, trips.length)];
            TripRecords.Trip memory trip = escrow.trips(touched);
            if (!trip.isClosed && trip.free > 0 && trip.expiresAt > time) return touched;
        }
        return newTrip(seed, seed);
    }

    function newBooking(uint256 seed, uint256 amount) private returns (BookingRef memory ref) {
        bytes32 tripId = liveTrip(seed);
        ref = BookingRef(tripId, bytes32(nextId++));
        reserve(tripId, ref.bookingId, 1 + amount % escrow.trips(tripId).free);
        bookings.push(ref);
        bookingIds[tripId].push(ref.bookingId);
    }

    function commitAs(BookingRef memory ref, uint256 seed, uint256 cost, uint256 markup, uint256 fee) private {
        uint256 reserved = escrow.bookings(ref.tripId, ref.bookingId).reserved;
        uint256 vendorAmount = 1 + cost % reserved;
        uint256 earned = markup % (reserved - vendorAmount + 1);
        uint256 taken = fee % (reserved - vendorAmount - earned + 1);
        vm.prank(OPERATOR);
        escrow.commit(ref.tripId, ref.bookingId, vendorOf(seed % 3), vendorAmount, earned, taken, "itinerary");
    }

    /// One in this state (and with time left, if asked) among a few; else a new one that is brought there.
    function bookingIn(uint256 seed, TripRecords.BookingState state, bool isLive)
        private
        returns (BookingRef memory ref)
    {
        for (uint256 index = 0; index < MOST_TRIES && index < bookings.length; index++) {
            ref = bookings[addmod(seed, index, bookings.length)];
            touched = ref.tripId;
            if (stateOf(ref.tripId, ref.bookingId) != state) continue;
            if (!isLive || escrow.trips(ref.tripId).expiresAt > time) return ref;
        }
        ref = newBooking(seed, seed);
        if (state == TripRecords.BookingState.Reserved) return ref;
        commitAs(ref, seed, seed, seed, seed);
        if (state == TripRecords.BookingState.Confirmed) confirm(ref.tripId, ref.bookingId);
    }

    function endedBooking(uint256 seed) private returns (bool isFound, BookingRef memory ref) {
        for (uint256 index = 0; index < 2 * MOST_TRIES && index < bookings.length; index++) {
            ref = bookings[addmod(seed, index, bookings.length)];
            touched = ref.tripId;
            if (stateOf(ref.tripId, ref.bookingId) > TripRecords.BookingState.Confirmed) return (true, ref);
        }
    }

    function bookSettlement(BookingRef memory ref) private {
        TripRecords.Booking memory booking = escrow.bookings(ref.tripId, ref.bookingId);
        require(booking.state == TripRecords.BookingState.Settled, "settled");
        uint256 rest = uint256(booking.reserved) - booking.vendorAmount - booking.serviceFee;
        pay(ref.tripId, booking.vendor, booking.vendorAmount);
        pay(ref.tripId, escrow.serviceFeeRecipient(), booking.serviceFee);
        pay(ref.tripId, escrow.trips(ref.tripId).funder, rest);
    }

    function bookCancellation(BookingRef memory ref) private {
        TripRecords.Booking memory booking = escrow.bookings(ref.tripId, ref.bookingId);
        require(booking.state == TripRecords.BookingState.Cancelled, "cancelled");
        pay(ref.tripId, escrow.trips(ref.tripId).funder, booking.reserved);
    }

    function pay(bytes32 tripId, address account, uint256 amount) private {
        owed[account] += amount;
        spent[tripId] += amount;
    }

    function passTo(uint256 newTime) private {
        if (newTime > time) time = newTime;
        vm.warp(time);
    }

    function unblock(address account) private {
        vm.prank(ADMINISTRATOR);
        token.unBlacklist(account);
    }
}
