// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {TripEscrow} from "../../src/TripEscrow.sol";
import {TripRecords} from "../../src/escrow/TripRecords.sol";
import {StablecoinFixture} from "./StablecoinFixture.sol";
import {vm} from "./Vm.sol";

/// An escrow, and the steps of a trip and its bookings as the operator makes them.
abstract contract EscrowFixture is StablecoinFixture {
    uint256 internal constant CLAIM_KEY = 0xc1a13;
    uint256 internal constant GRACE = 7 days;
    uint64 internal constant EXPIRES_AT = uint64(NOW + 30 days);
    address internal immutable CLAIM_SIGNER = vm.addr(CLAIM_KEY);
    address internal constant OWNER = address(0x0713e4);
    address internal constant OPERATOR = address(0x09e7a);
    address internal constant SERVICE = address(0x5e7);
    address internal constant VENDOR = address(0x7e4d0);
    address internal constant GUEST = address(0x90e57);
    bytes32 internal constant BOOKING = "booking";

    TripEscrow internal escrow;

    function setUp() public virtual override {
        super.setUp();
        escrow = new TripEscrow(address(token), OWNER, OPERATOR, SERVICE, GRACE);
    }

    function termsOf(address funder, uint256 budget, bytes32 salt) internal view returns (TripRecords.Terms memory) {
        return TripRecords.Terms(funder, budget, EXPIRES_AT, CLAIM_SIGNER, "metadata", salt);
    }

    /// By its definition, not by the contract's own word.
    function idOf(TripRecords.Terms memory terms) internal view returns (bytes32) {
        return keccak256(abi.encode(block.chainid, address(escrow), terms));
    }

    /// The signature of `key` over the budget, valid at all times.
    function signTerms(uint256 key, TripRecords.Terms memory terms) internal view returns (bytes memory) {
        return packed(
            key,
            receiveHash(Authorization(terms.funder, address(escrow), terms.budget, 0, type(uint256).max, idOf(terms)))
        );
    }

    function submit(TripRecords.Terms memory terms, bytes memory signature) internal {
        escrow.prefundWithAuthorization(terms, 0, type(uint256).max, signature);
    }

    /// Gives the funder the budget and has it paid in.
    function fund(TripRecords.Terms memory terms, uint256 key) internal returns (bytes32 tripId) {
        tripId = idOf(terms);
        mintTo(terms.funder, terms.budget);
        submit(terms, signTerms(key, terms));
    }

    function fundAlice(uint256 budget) internal returns (bytes32 tripId) {
        return fund(termsOf(ALICE, budget, "salt"), ALICE_KEY);
    }

    function reserve(bytes32 tripId, bytes32 bookingId, uint256 amount) internal {
        vm.prank(OPERATOR);
        escrow.reserve(tripId, bookingId, amount);
    }

    function commit(bytes32 tripId, bytes32 bookingId, uint256 vendorAmount, uint256 markup, uint256 serviceFee)
        internal
    {
        vm.prank(OPERATOR);
        escrow.commit(tripId, bookingId, VENDOR, vendorAmount, markup, serviceFee, "itinerary");
    }

    function confirm(bytes32 tripId, bytes32 bookingId) internal {
        vm.prank(OPERATOR);
        escrow.confirm(tripId, bookingId, "ticket");
    }

    function settle(bytes32 tripId, bytes32 bookingId) internal {
        vm.prank(OPERATOR);
        escrow.settle(tripId, bookingId);
    }

    function cancel(bytes32 tripId, bytes32 bookingId) internal {
        vm.prank(OPERATOR);
        escrow.cancel(tripId, bookingId, "reason");
    }

    function returnToTrip(bytes32 tripId, bytes32 bookingId) internal {
        vm.prank(OPERATOR);
        escrow.returnToTrip(tripId, bookingId, "reason");
    }

    function logAction(bytes32 tripId, bytes32 actionId, uint256 fee) internal {
        vm.prank(OPERATOR);
        escrow.logAction(tripId, actionId, "type", fee);
    }

    function close(bytes32 tripId) internal {
        vm.prank(OPERATOR);
        escrow.close(tripId);
    }

    /// A trip of ALICE's over `budget`, of which BOOKING is confirmed: 80 % of `reserved` to the vendor, 10 % markup, 1 %
    /// fee.
    function confirmedTrip(uint256 budget, uint256 reserved) internal returns (bytes32 tripId) {
        tripId = fundAlice(budget);
        reserve(tripId, BOOKING, reserved);
        commit(tripId, BOOKING, reserved * 80 / 100, reserved / 10, reserved / 100);
        confirm(tripId, BOOKING);
    }

    /// The claim's signature by its definition, for the chain and the escrow at hand.
    function signClaim(uint256 key, bytes32 tripId, address guest, uint256 deadline)
        internal
        view
        returns (bytes memory)
    {
        bytes32 domain = keccak256(
            abi.encode(
                keccak256("EIP712Domain(string name,string version,uint256 chainId,address verifyingContract)"),
                keccak256("TripEscrow"),
                keccak256("1"),
                block.chainid,
                address(escrow)
            )
        );
        bytes32 structHash = keccak256(
            abi.encode(keccak256("Claim(bytes32 tripId,address guest,uint256 deadline)"), tripId, guest, deadline)
        );
        (uint8 v, bytes32 r, bytes32 s) = vm.sign(key, keccak256(abi.encodePacked(hex"1901", domain, structHash)));
        return abi.encodePacked(r, s, v);
    }

    function works(address caller, bytes memory data) internal returns (bool success) {
        vm.prank(caller);
        (success,) = address(escrow).call(data);
    }

    function vendorOf(uint256 which) internal pure returns (address) {
        return address(uint160(VENDOR) + uint160(which));
    }

    function stateOf(bytes32 tripId, bytes32 bookingId) internal view returns (TripRecords.BookingState) {
        return escrow.bookings(tripId, bookingId).state;
    }

    function requireState(bytes32 tripId, bytes32 bookingId, TripRecords.BookingState state) internal view {
        vm.assertEq(uint256(stateOf(tripId, bookingId)), uint256(state), "state");
    }

    function requireTrip(bytes32 tripId, uint256 free, uint256 held) internal view {
        TripRecords.Trip memory trip = escrow.trips(tripId);
        vm.assertEq(trip.free, free, "free");
        vm.assertEq(trip.held, held, "held");
    }

    function wrongState(TripRecords.BookingState state) internal pure returns (bytes memory) {
        return abi.encodeWithSelector(TripRecords.WrongState.selector, state);
    }
}
